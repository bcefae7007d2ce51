import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { ModelServer } from '../../../tools/fake-model/model-server';
import { EventSourceReader } from './event-source';
import { heldReply } from './held-reply';

export const BEFORE = 'Спасибо, 👩‍🚀 that is ';
export const AFTER = 'clear. Дальше…';

/** An application with a model whose replies can be held, and readers of its events. */
export class MidReply {
  private readonly readers: EventSourceReader[] = [];

  private constructor(
    readonly app: TestApp,
    readonly model: ModelServer,
  ) {}

  static async start(): Promise<MidReply> {
    const model = await ModelServer.start();
    const env = {
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.baseUrl,
      SSE_STREAMS_PER_SESSION: '1000',
    };
    return new MidReply(await startTestApp({ env }), model);
  }

  /** Between tests. */
  rest(): void {
    for (const reader of this.readers.splice(0)) reader.close();
    this.model.release();
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.model.close();
  }

  /** A reader that has got its first frame. */
  async read(candidate: TestCandidate, lastEventId?: string): Promise<EventSourceReader> {
    const reader = await EventSourceReader.open(`${this.app.url}/api/v1/conversation/events`, {
      authorization: `Bearer ${candidate.token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
    this.readers.push(reader);
    return reader.until(({ frames }) => frames.length > 0);
  }

  /** A candidate whose reply is held after its first half, and one reader who has all of it. */
  async begin(): Promise<{ candidate: TestCandidate; reader: EventSourceReader }> {
    const candidate = await TestCandidate.begin(this.app);
    const reader = await this.read(candidate);
    this.model.next(heldReply(BEFORE, AFTER));
    await candidate.send('m1', 'Rye.');
    await reader.until(({ text }) => text === BEFORE);
    return { candidate, reader };
  }
}

export async function storedReply(
  candidate: TestCandidate,
): Promise<{ id: string; seq: number; text: string }> {
  const view = await candidate.waitFor(({ interviewStep, replying }) => {
    return interviewStep === 1 && !replying;
  });
  const reply = view.messages.at(-1);
  if (reply?.role !== 'assistant') throw new Error('no reply');
  return reply;
}

/** Where the reply that is being read has got to, as ids of frames say it. */
export function placeOf(reader: EventSourceReader): { turn: string; epoch: number } {
  const [turn = '', epoch] = (reader.of('delta').at(-1)?.id ?? '').split('.');
  return { turn, epoch: Number(epoch) };
}
