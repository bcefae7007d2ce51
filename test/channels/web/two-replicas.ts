import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { ModelServer } from '../../../tools/fake-model/model-server';
import { ADMIN_TOKEN } from '../../support/secrets';
import { EventSourceReader } from './event-source';

export { ADMIN_TOKEN };

/** Two replicas on one database: one writes the replies, the other only has readers. */
export class TwoReplicas {
  private readonly readers: EventSourceReader[] = [];

  private constructor(
    readonly writing: TestApp,
    readonly other: TestApp,
    readonly model: ModelServer,
  ) {}

  static async start(): Promise<TwoReplicas> {
    const model = await ModelServer.start();
    const env = {
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_MAX_OUTPUT_TOKENS: '16000',
      SSE_STREAMS_PER_SESSION: '1000',
      ADMIN_TOKEN,
    };
    const writing = await startTestApp({ env });
    return new TwoReplicas(writing, await startReplica(writing, { env, isWorking: false }), model);
  }

  /** Between tests. */
  rest(): void {
    for (const reader of this.readers.splice(0)) reader.close();
    this.model.release();
  }

  async close(): Promise<void> {
    await this.other.close();
    await this.writing.close();
    await this.model.close();
  }

  begin(): Promise<TestCandidate> {
    return TestCandidate.begin(this.writing);
  }

  /** A reader that has got its first frame. */
  read(at: TestApp, of: TestCandidate, lastEventId?: string): Promise<EventSourceReader> {
    return this.open(`${at.url}/api/v1/conversation/events`, of.token, lastEventId);
  }

  /** The same for a recruiter who watches. */
  watch(
    at: TestApp,
    { conversationId }: Pick<TestCandidate, 'conversationId'>,
    lastEventId?: string,
  ): Promise<EventSourceReader> {
    const url = `${at.url}/api/v1/admin/conversations/${conversationId}/events`;
    return this.open(url, ADMIN_TOKEN, lastEventId);
  }

  /** Ends every connection for notices; both replicas connect again. */
  async cutNotices(): Promise<number> {
    const rows = await this.writing.commit((tx) =>
      tx.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'colloquy-notices'`,
      ),
    );
    return rows.length;
  }

  async segmentsOf({ conversationId }: TestCandidate): Promise<string[]> {
    const rows = await this.writing.commit((tx) =>
      tx.query<{ text: string }>(
        `select s.text from turn_segment s join turn u on u.id = s.turn_id
         where u.conversation_id = $1 order by s.turn_id, s.epoch, s.start_at`,
        [conversationId],
      ),
    );
    return rows.map(({ text }) => text);
  }

  private async open(
    url: string,
    token: string,
    lastEventId: string | undefined,
  ): Promise<EventSourceReader> {
    const reader = await EventSourceReader.open(url, {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
    this.readers.push(reader);
    return reader.until(({ frames }) => frames.length > 0);
  }
}
