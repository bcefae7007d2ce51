import { until } from '../support/postgres/processes';
import type { Environment } from '../support/server-process';
import type { MatrixPerson } from './matrix-person';
import { type Point, letAllGo, reachAll } from './matrix-points';
import { type MatrixStage, type Replica, statusAt } from './matrix-stage';

/** What a person and the database know of their answer. */
export interface Seen {
  /** Own messages in the transcript. */
  readonly texts: readonly string[];
  /** For each stored reply, how often it stands in the chat. */
  readonly replies: readonly number[];
  readonly unanswered: number;
  readonly dueAt: Date | null;
}

/** Answers to requests that came when the process was ending already. */
export interface Probes {
  readonly live: number;
  readonly ready: number;
  readonly metrics: number;
  /** An update that somebody pushes. */
  readonly pushed: { readonly status: number; readonly retryAfter: string | null };
}

export const LATE = 'This comes after it has begun to end.';

/** One shutdown of a process in which everybody is at a point of their own; and whoever is late. */
export class Shutdown {
  readonly before = new Map<Point, Seen>();
  readonly atEnd = new Map<Point, Seen>();
  code: number | string = 'running';
  errors = '';
  /** What Telegram still has when the process is gone. */
  pending: readonly (string | undefined)[] = [];
  private told: Probes | null = null;

  private constructor(
    private readonly stage: MatrixStage,
    readonly replica: Replica,
    private readonly people: ReadonlyMap<Point, MatrixPerson>,
    readonly late: MatrixPerson,
  ) {}

  /** Everybody at their point (or soon to be brought there), in a process of `env`. */
  static async prepare(
    stage: MatrixStage,
    points: readonly Point[],
    env: Environment = {},
    reached: readonly Point[] = points,
  ): Promise<Shutdown> {
    const replica = await stage.serveFirst(env);
    const late = stage.person('late', replica);
    const people = await Promise.all(
      points.map(async (point) => [point, await stage.person(point, replica)] as const),
    );
    const shutdown = new Shutdown(stage, replica, new Map(people), await late);
    await reachAll(stage, shutdown.people, reached);
    await shutdown.look(shutdown.before);
    return shutdown;
  }

  get probes(): Probes {
    if (this.told === null) throw new Error('nobody was told to end');
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
    if (person === undefined) throw new Error(`nobody was brought ${point}`);
    return person;
  }

  /** SIGTERM; `meanwhile` happens while everything is still held up, then it goes on to its end. */
  async end(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const { server } = this.replica;
    server.signal('SIGTERM');
    await server.told('draining after SIGTERM');
    await this.stage.gatekeeper.openAll();
    this.late.writes(LATE);
    this.told = await this.probe();
    await meanwhile();
    await letAllGo(this.stage);
    this.code = await server.exited;
    this.errors = server.err;
    this.pending = this.stage.telegram.pendingUpdates.map(({ message }) => message?.text);
    await this.look(this.atEnd);
  }

  /** SIGTERM, once or until it ends, and nothing of what is held up goes on. */
  async endUnreleased(
    how: { readonly again?: boolean; readonly meanwhile?: () => Promise<void> } = {},
  ): Promise<void> {
    const { server } = this.replica;
    server.signal('SIGTERM');
    await server.told('draining after SIGTERM');
    await how.meanwhile?.();
    // Signals right after the first are taken for the same one.
    while (how.again === true && server.isRunning) {
      server.signal('SIGTERM');
      await Promise.race([server.exited, new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    this.code = await server.exited;
    this.errors = server.err;
  }

  /** kill -9, while everything is held up. */
  async kill(): Promise<void> {
    const { server } = this.replica;
    server.signal('SIGKILL');
    this.code = await server.exited;
  }

  /** Typing is shown to the person again, from now on. */
  async typingGoesOn({ chatId }: MatrixPerson): Promise<void> {
    const { journal } = this.stage.telegram;
    const shown = (): number =>
      journal.calls('sendChatAction').filter(({ params }) => params.chat_id === chatId).length;
    const before = shown();
    await until('typing is shown', () => shown() > before);
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
    unanswered: await person.unanswered(),
    dueAt: await person.dueAt(),
  };
}
