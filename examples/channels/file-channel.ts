import { type DynamicModule, Inject, Injectable, Logger, Module } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BufferService } from '../../src/buffer';
import type { Channel, OutgoingPart, SendOutcome } from '../../src/channels';
import { ChannelAdapter } from '../../src/channels';
import { Clock } from '../../src/common/clock';
import type { Settings } from '../../src/common/config';
import { ColloquyError, describeError } from '../../src/common/errors';
import { Drain } from '../../src/common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../src/common/uow';
import { InterviewModule } from '../../src/interview';

declare module '../../src/channels/channel' {
  interface ChannelNames {
    files: true;
  }
}

declare module '../../src/common/uow' {
  interface LabelAreas {
    files: 'files';
  }
}

const FOLDER = Symbol('folder');
const POLL_MS = 500;
/** `<conversation id>.<anything>.txt`; the whole name is the channel's id of the message. */
const INCOMING = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.[\w-]+\.txt$/;

/** Reads messages from text files in `in/` and writes replies to text files in `out/`. */
@Injectable()
@ChannelAdapter()
export class FileChannel implements Channel, OnApplicationBootstrap {
  readonly name = 'files';
  readonly isOn = true;
  readonly capabilities = { sends: true, holdsMedia: false };
  private readonly logger = new Logger('Files');

  constructor(
    @Inject(FOLDER) private readonly folder: string,
    private readonly buffer: BufferService,
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
    private readonly drain: Drain,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const name of ['in', 'out', 'read']) await mkdir(this.at(name), { recursive: true });
    const stop = new AbortController();
    const reading = this.readUntil(stop.signal);
    this.drain.register('intake', this.name, () => (stop.abort(), reading));
  }

  quietMs = ({ debounceMs }: Settings['buffer']) => debounceMs;
  wholePart = (text: string) => ({ text, plain: text });
  parts = (text: string) => [this.wholePart(text)];
  /** The chat of a conversation has the conversation's id as its name. */
  chatOf = (_tx: Tx, conversationId: string) => Promise.resolve(conversationId);
  responds = () => Promise.resolve(true);

  /** Sending the same part again writes the same file again. */
  send({ chat, messageId, part, plain }: OutgoingPart): Promise<SendOutcome> {
    const externalId = `${chat}.${messageId}.${part}.txt`;
    return writeFile(this.at('out', externalId), plain).then(
      () => ({ kind: 'sent', externalId }),
      () => ({ kind: 'not_sent', error: 'write_failed' }),
    );
  }

  private async readUntil(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.readAll().catch((error: unknown) => {
        this.logger.error(`Cannot read ${this.at('in')}; retrying: ${describeError(error)}`);
      });
      await this.clock.sleep(POLL_MS, stop);
    }
  }

  /** A file is moved after the commit: after a crash in between it is read again, under the same id. */
  private async readAll(): Promise<void> {
    for (const file of (await readdir(this.at('in'))).sort()) {
      const conversationId = INCOMING.exec(file)?.[1];
      if (conversationId === undefined) continue;
      const text = await readFile(this.at('in', file), 'utf8');
      const message = { conversationId, channel: this.name, externalId: file, text } as const;
      const receive = (tx: Tx) => this.buffer.append(tx, message);
      const received = this.units.run('files', (uow) => uow.commit('files.receive', receive));
      await received.catch((error: unknown) => {
        if (!(error instanceof ColloquyError) || error.retryable) throw error;
        this.logger.warn(`${file} was refused: ${error.message}`);
      });
      await rename(this.at('in', file), this.at('read', file));
    }
  }

  private at = (...names: string[]) => path.join(this.folder, ...names);
}

@Module({})
export class FileChannelModule {
  static in(folder: string): DynamicModule {
    const providers = [{ provide: FOLDER, useValue: folder }, FileChannel];
    return { module: FileChannelModule, imports: [InterviewModule], providers };
  }
}
