import type { Environment } from '../support/server-process';
import type { MatrixPerson } from './matrix-person';
import { type Point, letAllGo, reachAll } from './matrix-points';
import { type Deployment, type Replica, statusAt } from './deployment';
import { PROCESS_TIMEOUT_MS, until } from '../support/until';

/** The state of a person's answer, read from the chat and from the database. */
export interface Seen {
  /** The person's messages in the transcript. */
  readonly texts: readonly string[];
  /** For each stored reply, how many times it is in the chat. */
  readonly replies: readonly number[];
  readonly withoutReply: number;
  readonly dueAt: Date | null;
}

/** Responses to requests that arrive while the process shuts down. */
export interface Probes {
  readonly live: number;
  readonly ready: number;
  readonly metrics: number;
  /** The response to an update that is pushed. */
  readonly pushed: { readonly status: number; readonly retryAfter: string | null };
}

export const LATE = 'This comes after it has begun to end.';

/** One shutdown of a process with a person at each point, and one person who writes after SIGTERM. */
export class Shutdown {
  readonly before = new Map<Point, Seen>();
  readonly atEnd = new Map<Point, Seen>();
  code: number | string = 'running';
  errors = '';
  /** The texts of the updates that Telegram still has after the end of the process. */
  pending: readonly (string | undefined)[] = [];
  private told: Probes | null = null;

  private constructor(
    private readonly deployment: Deployment,
    readonly replica: Replica,
    private readonly people: ReadonlyMap<Point, MatrixPerson>,
    readonly late: MatrixPerson,
  ) {}

  /**
   * Starts a process with `env` and brings a person to each of the `reached` points. The test brings
   * the people of the other `points` there later.
   */
  static async prepare(
    deployment: Deployment,
    points: readonly Point[],
    env: Environment = {},
    reached: readonly Point[] = points,
  ): Promise<Shutdown> {
    const replica = await deployment.serveFirst(env);
    const late = deployment.person('late');
    const people = await Promise.all(
      points.map(async (point) => [point, await deployment.person(point)] as const),
    );
    const shutdown = new Shutdown(deployment, replica, new Map(people), await late);
    await reachAll(deployment, shutdown.people, reached);
    await shutdown.look(shutdown.before);
    return shutdown;
  }

  get probes(): Probes {
    if (this.told === null) throw new Error('end() has not run yet');
    return this.told;
  }

  get everybody(): readonly MatrixPerson[] {
    return [...this.people.values()];
  }

  has(point: Point): boolean {
    return this.people.has(point);
  }

  person(point: Point): MatrixPerson {
    const person = this.people.get(point);
    if (person === undefined) throw new Error(`no person was prepared for the point "${point}"`);
    return person;
  }

  /** Sends SIGTERM, runs `meanwhile` while the peers hold everything, then lets all work finish. */
  async end(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const { server } = this.replica;
    server.signal('SIGTERM');
    await server.told('shutting down after SIGTERM');
    await this.deployment.gatekeeper.openAll();
    this.late.writes(LATE);
    this.told = await this.probe();
    await meanwhile();
    await letAllGo(this.deployment);
    this.code = await server.exited;
    this.errors = server.err;
    this.pending = this.deployment.telegram.pendingUpdates.map(({ message }) => message?.text);
    await this.look(this.atEnd);
  }

  /** Sends SIGTERM once, or with `again` until the process ends. The peers keep holding everything. */
  async endUnreleased(
    how: { readonly again?: boolean; readonly meanwhile?: () => Promise<void> } = {},
  ): Promise<void> {
    const { server } = this.replica;
    server.signal('SIGTERM');
    await server.told('shutting down after SIGTERM');
    await how.meanwhile?.();
    // The process takes signals that come right after the first one for the same signal.
    while (how.again === true && server.isRunning) {
      server.signal('SIGTERM');
      await Promise.race([server.exited, new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    this.code = await server.exited;
    this.errors = server.err;
  }

  /** Sends SIGKILL while the peers hold everything. */
  async kill(): Promise<void> {
    const { server } = this.replica;
    server.signal('SIGKILL');
    this.code = await server.exited;
  }

  /** Waits until typing is shown to the person once more. */
  async typingGoesOn({ chatId }: MatrixPerson): Promise<void> {
    const { journal } = this.deployment.telegram;
    const shown = (): number =>
      journal.calls('sendChatAction').filter(({ params }) => params.chat_id === chatId).length;
    const before = shown();
    await until('typing is shown', () => shown() > before, PROCESS_TIMEOUT_MS);
  }

  private async probe(): Promise<Probes> {
    const [live, ready, metrics, response] = await Promise.all([
      statusAt(this.replica, '/health/live'),
      statusAt(this.replica, '/health/ready'),
      statusAt(this.replica, '/metrics'),
      fetch(`http://127.0.0.1:${String(this.replica.port)}/webhooks/telegram`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ update_id: 1 }),
      }),
    ]);
    const retryAfter = response.headers.get('retry-after');
    await response.body?.cancel();
    return { live, ready, metrics, pushed: { status: response.status, retryAfter } };
  }

  private async look(into: Map<Point, Seen>): Promise<void> {
    for (const [point, person] of this.people) into.set(point, await seenOf(person));
  }
}

export async function seenOf(person: MatrixPerson): Promise<Seen> {
  return {
    texts: await person.texts(),
    replies: (await person.replies()).map(({ seen }) => seen),
    withoutReply: await person.withoutReply(),
    dueAt: await person.dueAt(),
  };
}
