import type { ChannelName } from '../../src/channels';
import fc from 'fast-check';
import { hashToken } from '../../src/common/ids';
import { BufferModel, LEASE_MS, LIMITS, type ModelFate, type ModelMessage } from './buffer-model';
import { TestBuffer } from './test-buffer';

/**
 * Random schedules of append, redelivery, typing, edit, voice, Done, delivery, tick, crash and
 * retry on a virtual clock; after every step the database must match the model.
 */

let setup: TestBuffer;
beforeAll(async () => {
  setup = await TestBuffer.open({
    INTERVIEW_BUFFER_MAX_SIZE: String(LIMITS.maxSize),
    INTERVIEW_BUFFER_MAX_CHARS: String(LIMITS.maxChars),
    INTERVIEW_BUFFER_MAX_WAIT: String(LIMITS.maxWaitMs / 1000),
    // The model does not learn; learned-quiet-time.spec.ts tests what is learned.
    INTERVIEW_BUFFER_LEARNING: 'false',
  });
  setup.clock.advance(60_000);
});
afterAll(() => setup.close());

interface Real {
  readonly conversation: string;
  readonly startedMs: number;
}

abstract class Step implements fc.AsyncCommand<BufferModel, Real> {
  check(_model: Readonly<BufferModel>): boolean {
    return true;
  }
  abstract run(model: BufferModel, real: Real): Promise<void>;
  abstract toString(): string;
}

class Append extends Step {
  constructor(
    readonly channel: ChannelName,
    readonly length: number,
    readonly isPending: boolean,
  ) {
    super();
  }
  async run(model: BufferModel, real: Real): Promise<void> {
    model.counter += 1;
    const externalId = `m${model.counter}`;
    const text = this.isPending ? '' : externalId.padEnd(this.length, '.');
    const { channel, isPending } = this;
    model.append(channel, text, externalId, isPending);
    await setup.append(real.conversation, text, { channel, externalId, isPending });
    await expectSame(model, real);
  }
  toString(): string {
    return `${this.isPending ? 'voice' : 'append'}(${this.channel}, ${this.length})`;
  }
}

/** A step on a message that exists. */
abstract class OnMessage extends Step {
  constructor(private readonly pick: number) {
    super();
  }
  protected candidates(model: BufferModel): ModelMessage[] {
    return model.messages;
  }
  override check(model: BufferModel): boolean {
    return this.candidates(model).length > 0;
  }
  protected find(model: BufferModel): ModelMessage {
    const candidates = this.candidates(model);
    return candidates[this.pick % candidates.length] as ModelMessage;
  }
  toString(): string {
    return `${this.constructor.name}(${this.pick})`;
  }
}

class Redeliver extends OnMessage {
  async run(model: BufferModel, real: Real): Promise<void> {
    const { channel, externalId, text, isVoice: isPending } = this.find(model);
    const named = { channel, externalId, isPending };
    const again = await setup.append(real.conversation, isPending ? '' : text, named);
    expect(again.isNew).toBe(false);
    await expectSame(model, real);
  }
}

class Edit extends OnMessage {
  async run(model: BufferModel, real: Real): Promise<void> {
    const message = this.find(model);
    model.counter += 1;
    const text = `e${model.counter}`.padEnd(model.counter % 30, '.');
    const amendmentIdOf = (current: ModelMessage): string =>
      `${message.externalId}:edit:${hashToken(current.externalId).slice(0, 32)}`;
    model.edit(message, text, amendmentIdOf);
    await setup.edit(real.conversation, message.externalId, text, message.channel);
    await expectSame(model, real);
  }
}

class Transcribe extends OnMessage {
  protected override candidates(model: BufferModel): ModelMessage[] {
    return model.messages.filter((message) => message.isPending);
  }
  async run(model: BufferModel, real: Real): Promise<void> {
    const { channel, externalId } = this.find(model);
    model.counter += 1;
    const transcript = { channel, externalId, text: `t${model.counter}` };
    model.transcribe(this.find(model), transcript.text);
    await setup.commit((tx) =>
      setup.buffer.settlePending(tx, { conversationId: real.conversation, ...transcript }),
    );
    await expectSame(model, real);
  }
}

class Wait extends Step {
  constructor(readonly ms: number) {
    super();
  }
  run(model: BufferModel): Promise<void> {
    model.nowMs += this.ms;
    setup.clock.advance(this.ms);
    return Promise.resolve();
  }
  toString(): string {
    return `wait(${this.ms})`;
  }
}

class Tick extends Step {
  constructor(
    readonly fate: ModelFate,
    readonly isDeliveredAtOnce: boolean,
  ) {
    super();
  }
  override check(model: BufferModel): boolean {
    return !this.fate.startsWith('crashes') || model.crashes < 8;
  }
  async run(model: BufferModel, real: Real): Promise<void> {
    const buffer = model.claimable(await retryDueMs(real));
    const asked = buffer && model.flush(buffer, this.fate, this.isDeliveredAtOnce);
    const { turns } = setup.main;
    turns.requests.length = 0;
    turns.fates.splice(0, turns.fates.length, this.fate);
    turns.deliversAtOnce = this.isDeliveredAtOnce;

    const claimed = await setup.tick();

    expect(claimed).toBe(buffer === undefined ? 0 : 1);
    expect(turns.requests.map((request) => request.text)).toEqual(asked == null ? [] : [asked]);
    if (turns.hanging > 0) setup.crash();
    await expectSame(model, real);
  }
  toString(): string {
    return `tick(${this.fate}${this.isDeliveredAtOnce ? '' : ', undelivered'})`;
  }
}

class Do extends Step {
  constructor(readonly what: 'type' | 'done' | 'deliver') {
    super();
  }
  async run(model: BufferModel, real: Real): Promise<void> {
    const { conversation } = real;
    switch (this.what) {
      case 'type':
        model.type();
        await setup.type(conversation);
        break;
      case 'done':
        model.finish();
        await setup.done(conversation);
        break;
      case 'deliver':
        model.deliver();
        await setup.commit((tx) => setup.main.turns.deliver(tx, conversation));
    }
    await expectSame(model, real);
  }
  toString(): string {
    return this.what;
  }
}

async function retryDueMs({ conversation, startedMs }: Real): Promise<number> {
  const retrying = (await setup.jobs(conversation)).find((job) => job.state === 'retry');
  return (retrying?.due_at?.getTime() ?? Infinity) - startedMs;
}

async function expectSame(model: BufferModel, { conversation }: Real): Promise<void> {
  const dueAt = model.open?.dueAt;
  expect(await setup.dueInMs(conversation)).toBe(dueAt === undefined ? null : dueAt - model.nowMs);
  const jobs = await setup.jobs(conversation);
  const shape = ({ state, count, chars, pending, failures }: (typeof jobs)[number]) => {
    return { state, count, chars, pending, failures };
  };
  expect(jobs.map(shape)).toEqual(
    model.buffers.map(({ state, count, chars, pending, failures }) => {
      return { state, count, chars, pending, failures };
    }),
  );
  const numbers = new Map(jobs.map((job, index) => [job.id, index]));
  const waiting = await setup.waiting(conversation);
  expect(
    waiting.map(({ text, isPending, beforeReply, answerId }) => {
      return { text, isPending, beforeReply, buffer: numbers.get(answerId) };
    }),
  ).toEqual(
    model.messages
      .filter((message) => !message.isCleared)
      .map((message) => {
        const { text, isPending, buffer } = message;
        const beforeReply = model.cameBeforeReply(message);
        return { text, isPending, beforeReply, buffer: model.buffers.indexOf(buffer) };
      }),
  );
}

/** At the end every message is in exactly one reply, or its buffer is dead. */
async function expectEverySettled(model: BufferModel, real: Real): Promise<void> {
  for (const voice of model.messages.filter((message) => message.isPending)) {
    await new Transcribe(0).run(model, real);
    expect(voice.isPending).toBe(false);
  }
  for (let round = 0; round < 12; round += 1) {
    await new Do('deliver').run(model, real);
    await new Wait(600_000).run(model);
    await new Tick('replied', true).run(model, real);
  }
  const replies = (await setup.turnsOf(real.conversation))
    .filter((turn) => turn.state === 'delivered')
    .flatMap((turn) => turn.reply_text?.replace('re: ', '').split('\n\n') ?? []);
  expect(replies.sort()).toEqual([...model.answered].sort());
  const dead = model.messages.filter((message) => message.buffer.state === 'dead');
  expect(replies.length + dead.length).toBe(model.messages.length);
}

const channel = fc.constantFrom<ChannelName>('web', 'telegram');
const pick = fc.nat({ max: 20 });
const fate = fc.constantFrom<ModelFate>(
  'replied',
  'replied',
  'fails',
  'crashes_before_open',
  'crashes_after_model',
);
const steps = [
  fc.tuple(channel, fc.integer({ min: 4, max: 50 })).map((of) => new Append(...of, false)),
  fc.tuple(channel, fc.constant(4)).map((of) => new Append(...of, true)),
  pick.map((index) => new Redeliver(index)),
  pick.map((index) => new Edit(index)),
  pick.map((index) => new Transcribe(index)),
  fc.integer({ min: 1, max: 11_000 }).map((ms) => new Wait(ms)),
  fc.constantFrom(LEASE_MS, LIMITS.maxWaitMs).map((ms) => new Wait(ms)),
  fc.tuple(fate, fc.boolean()).map((of) => new Tick(...of)),
  fc.tuple(fate, fc.boolean()).map((of) => new Tick(...of)),
  fc.constantFrom('type', 'done', 'deliver').map((what) => new Do(what)),
];

test('the database matches the model after every step of random schedules', async () => {
  const schedules = fc.commands(steps, { maxCommands: 30 });
  const property = fc.asyncProperty(schedules, async (schedule) => {
    await setup.reset();
    const model = new BufferModel();
    const real = {
      conversation: await setup.conversation(),
      startedMs: setup.clock.now().getTime(),
    };
    await fc.asyncModelRun(() => ({ model, real }), schedule);
    await expectEverySettled(model, real);
  });
  await fc.assert(property, { numRuns: 100 });
}, 180_000);
