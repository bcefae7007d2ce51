import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export interface ChatTemplate {
  /** As its package names it: a family and a size. */
  readonly model: string;
  readonly template: string;
}

/** What llama.cpp makes of a request. */
export interface Rendered {
  readonly prompt: string;
  readonly grammar: string;
}

export type Question =
  | { readonly ask: 'accepts'; readonly schema: object; readonly texts: readonly string[] }
  | { readonly ask: 'templates' }
  | {
      readonly ask: 'jinja';
      readonly template: string;
      readonly messages: readonly ChatMessage[];
      readonly tools?: readonly object[];
    }
  | {
      readonly ask: 'llama';
      readonly folder: string;
      readonly template: string;
      readonly messages: readonly ChatMessage[];
      readonly schema?: object;
      readonly tools?: readonly object[];
    }
  | {
      readonly ask: 'write';
      readonly folder: string;
      readonly grammar: string;
      readonly seed: number;
    };

type Reply = { readonly value: unknown } | { readonly error: string };

/** npm has llama.cpp as native code for this platform only; it needs the system's libgomp1. */
export const HAS_LLAMA = process.platform === 'linux' && process.arch === 'x64';

/** Real engines in a process of their own. One question at a time. */
export class Engines {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'colloquy-engines-'));
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor() {
    this.child = fork(path.join(__dirname, 'engine-process.ts'), {
      execArgv: ['-r', path.resolve(__dirname, '../../tools/support/swc-register.cjs')],
      cwd: path.resolve(__dirname, '../..'),
      // llama.cpp writes its log to both.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ended = once(this.child, 'exit');
  }

  /** Whether xgrammar lets a model write each of these texts under this schema. */
  accepts(schema: object, texts: readonly string[]): Promise<boolean[]> {
    return this.ask({ ask: 'accepts', schema, texts });
  }

  /** The chat templates that `@huggingface/ollama-utils` ships, as they stand in the models' files. */
  templates(): Promise<ChatTemplate[]> {
    return this.ask({ ask: 'templates' });
  }

  /** The prompt, by `@huggingface/jinja`. Rejects with the template's own refusal. */
  byJinja(
    template: string,
    messages: readonly ChatMessage[],
    tools?: readonly object[],
  ): Promise<string> {
    return this.ask({
      ask: 'jinja',
      template,
      messages,
      ...(tools === undefined ? {} : { tools }),
    });
  }

  /** The prompt and the grammar, by llama.cpp. */
  byLlama(
    template: string,
    messages: readonly ChatMessage[],
    extras: { readonly schema?: object; readonly tools?: readonly object[] } = {},
  ): Promise<Rendered> {
    return this.ask({ ask: 'llama', folder: this.folder, template, messages, ...extras });
  }

  /** What a model with random weights writes under this grammar of llama.cpp. */
  write(grammar: string, seed: number): Promise<string> {
    return this.ask({ ask: 'write', folder: this.folder, grammar, seed });
  }

  async close(): Promise<void> {
    this.child.kill();
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async ask<T>(question: Question): Promise<T> {
    const ended = this.ended.then((): never => {
      throw new Error('the engines have ended');
    });
    const answered = once(this.child, 'message') as Promise<[Reply]>;
    this.child.send(question);
    const [reply] = await Promise.race([answered, ended]);
    if ('error' in reply) throw new Error(reply.error);
    return reply.value as T;
  }
}
