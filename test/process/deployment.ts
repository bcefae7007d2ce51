import { vectorBytes } from '../../src/knowledge/knowledge.repository';
import { meaningOf } from '../../tools/fake-model/embedding-endpoint';
import { LoadBalancer, unusedPort } from '../../tools/fake-network/load-balancer';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { openTokenIn, rowsOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import type { TestDatabaseHandle } from '../support/postgres';
import { type Environment, ServerProcess } from '../support/server-process';
import { TelegramServer } from '../../tools/fake-telegram';
import { WEBHOOK_SECRET } from '../support/secrets';
import { Gatekeeper } from './matrix-gatekeeper';
import { MatrixPerson } from './matrix-person';

export type TelegramMode = 'polling' | 'webhook';

const EMBEDDING_MODEL = 'meanings';
/** The settings of every process. Quiet times are so long that only a test ends them. */
const SETTINGS = {
  OPENAI_API_KEY: 'sk-test',
  OPENAI_EMBEDDING_MODEL: EMBEDDING_MODEL,
  OPENAI_EMBEDDING_TIMEOUT: '60',
  // One person's reply is held while the others are brought to their points.
  OPENAI_IDLE_TIMEOUT: '120',
  OPENAI_REQUEST_TIMEOUT: '300',
  OPENAI_TRANSCRIPTION_MODEL: 'ears',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '600',
  INTERVIEW_BUFFER_LEARNING: 'false',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '600',
  INTERVIEW_BUFFER_MAX_WAIT: '3600',
  TELEGRAM_WEBHOOK_SECRET: WEBHOOK_SECRET,
  TELEGRAM_TIMEOUT: '60',
  DELIVERY_TIMEOUT: '60',
  JOB_LEASE: '6',
  SHUTDOWN_DEADLINE: '20',
};

/** One process of Colloquy and its own port; the load balancer may lead to another process. */
export interface Replica {
  readonly server: ServerProcess;
  readonly port: number;
}

/**
 * Everything that the processes of one deployment share: the database, the model server, Telegram,
 * and the address to which Telegram pushes.
 */
export class Deployment {
  private constructor(
    readonly mode: TelegramMode,
    readonly databaseUrl: string,
    readonly model: ModelServer,
    readonly telegram: TelegramServer,
    readonly balancer: LoadBalancer,
    readonly gatekeeper: Gatekeeper,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(
    mode: TelegramMode,
    createDatabase: () => Promise<TestDatabaseHandle> = createExampleDatabase,
  ): Promise<Deployment> {
    const [{ url, drop }, model, telegram, balancer] = await Promise.all([
      createDatabase(),
      ModelServer.start(replyWith('answered', 'Noted, thank you.')),
      TelegramServer.start(),
      LoadBalancer.open(),
    ]);
    const gatekeeper = await Gatekeeper.post(url);
    return new Deployment(mode, url, model, telegram, balancer, gatekeeper, drop);
  }

  /** The environment of a process of this deployment. */
  environment(port: number, env: Environment = {}): Environment {
    return {
      ...SETTINGS,
      PORT: String(port),
      DATABASE_URL: this.databaseUrl,
      OPENAI_BASE_URL: this.model.baseUrl,
      TELEGRAM_BOT_TOKEN: this.telegram.token,
      TELEGRAM_API_ROOT: this.telegram.apiRoot,
      TELEGRAM_MODE: this.mode,
      ...(this.mode === 'webhook' ? { PUBLIC_URL: this.balancer.url } : {}),
      ...env,
    };
  }

  /** Starts a process and waits until it serves. It gets updates once no earlier process takes them. */
  async serve(env: Environment = {}): Promise<Replica> {
    const port = await unusedPort();
    return { port, server: await ServerProcess.serve(this.environment(port, env)) };
  }

  /** Starts the first process of the deployment, and stores vectors for the documents. */
  async serveFirst(env: Environment = {}): Promise<Replica> {
    const replica = await this.serve(env);
    this.balancer.leadTo(replica.port);
    await this.sql(
      `insert into knowledge_embedding (passage_id, model, dimensions, vector, due_at)
       select id, $1, $2, $3, now() from knowledge_passage on conflict do nothing`,
      [EMBEDDING_MODEL, meaningOf('').length, vectorBytes(meaningOf('remote'))],
    );
    return replica;
  }

  /** A person who was just asked the first question in the chat with the bot. */
  async person(name: string): Promise<MatrixPerson> {
    return MatrixPerson.begin(this, name, await openTokenIn(this.databaseUrl));
  }

  sql<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.databaseUrl, text, values);
  }

  /** Ends the quiet time of this conversation's answer, or of every answer that is being collected. */
  async endWindows(conversationId: string | null = null): Promise<void> {
    await this.sql(
      `update job set due_at = clock_timestamp()
       where queue = 'flush' and state = 'open' and ($1::text is null or key = $1)`,
      [conversationId],
    );
  }

  /** Outcomes of the attempts at requests with this purpose, for the answers and voices of a conversation. */
  async outcomes(conversationId: string, purpose: string): Promise<string[]> {
    const rows = await this.sql<{ outcome: string }>(
      `select a.outcome from llm_attempt a join llm_request r on r.id = a.request_id
       left join turn t on r.subject = 'flush:' || t.answer_id
       left join message m on r.subject = 'voice:' || m.id
       where coalesce(t.conversation_id, m.conversation_id) = $1 and r.purpose = $2 order by a.id`,
      [conversationId, purpose],
    );
    return rows.map(({ outcome }) => outcome);
  }

  async interviewRequests(conversationId: string): Promise<number> {
    const rows = await this.sql(
      `select 1 from llm_request r join turn t on r.subject = 'flush:' || t.answer_id
       where t.conversation_id = $1 and r.purpose = 'interview'`,
      [conversationId],
    );
    return rows.length;
  }

  async close(): Promise<void> {
    await ServerProcess.killAll();
    await this.gatekeeper.leave();
    await this.balancer.close();
    await this.telegram.close();
    await this.model.close();
    await this.drop();
  }
}

/** Status of a GET at the process itself; 0 without a response. */
export async function statusAt({ port }: Replica, place: string): Promise<number> {
  return fetch(`http://127.0.0.1:${String(port)}${place}`).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => 0,
  );
}
