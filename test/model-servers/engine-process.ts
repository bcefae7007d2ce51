/**
 * Runs real engines for the tests, in a process of their own: native code, WebAssembly and packages in
 * forms that Jest does not load. It gets one question at a time over IPC and returns a value or an error.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import type { Question, Rendered } from './engines';
import { tinyModel } from './tiny-model';

const load = createRequire(__filename);

interface Xgrammar {
  readonly Grammar: { fromJSONSchema(schema: string): Promise<object> };
  readonly Testings: { isGrammarAcceptString(grammar: object, text: string): Promise<boolean> };
}

interface Llama {
  getFormattedChat(messages: object, template: string, options: object): Rendered;
  completion(options: object): Promise<{ readonly text: string }>;
}

interface Jinja {
  readonly Template: new (text: string) => { render(values: object): string };
}

interface Shipped {
  readonly OLLAMA_CHAT_TEMPLATE_MAPPING: readonly {
    readonly model: string;
    readonly gguf: string;
  }[];
}

/** It calls itself an ES module and is a script with `require`, so it is compiled as one. */
function xgrammar(): Xgrammar {
  const file = load.resolve('@mlc-ai/web-xgrammar');
  const script = new Module(file) as NodeJS.Module & { _compile(code: string, file: string): void };
  script.filename = file;
  script.paths = load.resolve.paths('@mlc-ai/web-xgrammar') ?? [];
  script._compile(readFileSync(file, 'utf8'), file);
  return script.exports as Xgrammar;
}

let opened: Llama | null = null;

/** With the tiny model. */
function openLlama(folder: string): Llama {
  const { LlamaContext } = load('@fugood/node-llama-linux-x64') as {
    LlamaContext: new (options: object) => Llama;
  };
  const model = path.join(folder, 'tiny.gguf');
  writeFileSync(model, tinyModel());
  return new LlamaContext({ model, n_ctx: 8192, n_gpu_layers: 0, n_threads: 1 });
}

function shipped(): Shipped['OLLAMA_CHAT_TEMPLATE_MAPPING'] {
  const folder = path.dirname(load.resolve('@huggingface/ollama-utils'));
  const file = path.join(folder, '../src/chat-template-automap.ts');
  return (load(file) as Shipped).OLLAMA_CHAT_TEMPLATE_MAPPING;
}

async function valueOf(question: Question): Promise<unknown> {
  switch (question.ask) {
    case 'accepts': {
      const { Grammar, Testings } = xgrammar();
      const grammar = await Grammar.fromJSONSchema(JSON.stringify(question.schema));
      const taken: boolean[] = [];
      for (const text of question.texts) {
        taken.push(await Testings.isGrammarAcceptString(grammar, text));
      }
      return taken;
    }
    case 'templates':
      return shipped().map(({ model, gguf }) => ({ model, template: gguf }));
    case 'jinja': {
      const { Template } = load('@huggingface/jinja') as Jinja;
      const { messages, tools } = question;
      const values = { messages, tools, add_generation_prompt: true, bos_token: '', eos_token: '' };
      return new Template(question.template).render(values);
    }
    case 'llama': {
      const { folder, messages, template, schema, tools } = question;
      const format = { type: 'json_schema', json_schema: { strict: true, schema } };
      const options = {
        jinja: true,
        now: 1,
        ...(schema === undefined ? {} : { response_format: format }),
        ...(tools === undefined ? {} : { tools, tool_choice: 'auto' }),
      };
      opened ??= openLlama(folder);
      return opened.getFormattedChat(messages, template, options);
    }
    case 'write': {
      const { folder, grammar, seed } = question;
      const options = { prompt: 'x', grammar, seed, temperature: 1, n_predict: 7000 };
      // One for each text: a context may still be busy just after it has returned its text.
      return (await openLlama(folder).completion(options)).text;
    }
  }
}

process.on('message', (question: Question) => {
  valueOf(question).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
