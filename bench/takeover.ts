/**
 * How soon a second replica takes over after a kill -9 of the first. Both are real processes on one
 * database; Telegram and the model server are the fakes of the tests, in this process. Candidates are at
 * five points of their answer when the first replica dies; the second is idle until then.
 *
 *   claimed   from the kill until the second replica has claimed the job
 *   replied   from the kill until the candidate sees the next message: the reply, or the transcription
 *
 * A job of the dead replica may be claimed when its lease ends, at most a whole lease after the kill:
 * the bound is lease + 2 s. A job that no replica had claimed (an answer in its quiet time, which ends
 * with the kill here) waits for no lease. The model completes at once, and nothing is sent twice except
 * the delivery in which the replica dies: it is sent again after a pause.
 */
import { Client } from 'pg';
import type { MatrixPerson } from '../test/process/matrix-person';
import { POINTS, letPeersGo, type Point } from '../test/process/matrix-points';
import { Deployment } from '../test/process/deployment';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';

const REPETITIONS = 5;
/** The default, and a short one. */
const LEASES_S = [6, 1.5];
const SLACK_MS = 2000;
/** As in production: the tests' own is shorter. */
const POLL = { JOB_POLL: '0.25' };
const POLL_MS = 5;
const LONGEST_MS = 120_000;

/** In the order in which they are reached: what blocks one point must not block a later one on its way. */
const MEASURED = {
  'in the model stream': { queue: 'flush', name: 'in the model stream' },
  'between the commit of the reply and its delivery': { queue: 'deliver', name: 'before delivery' },
  'in a delivery that has not arrived': { queue: 'deliver', name: 'in a delivery' },
  'in transcription': { queue: 'transcribe', name: 'in transcription' },
  'in the debounce window': { queue: 'flush', name: 'in the debounce window' },
} as const satisfies Partial<Record<Point, { queue: string; name: string }>>;
type Place = keyof typeof MEASURED;
const PLACES = Object.keys(MEASURED) as Place[];
const STREAM = 'in the model stream' satisfies Place;
const BEFORE_DELIVERY = 'between the commit of the reply and its delivery' satisfies Place;
const QUIET = 'in the debounce window' satisfies Place;

interface JobSeen {
  readonly id: string;
  readonly state: string;
  readonly worker: string | null;
  readonly claimNo: number;
}

/** A candidate at one of the places, and their state at the kill. */
interface Waiting {
  readonly place: Place;
  readonly person: MatrixPerson;
  readonly heard: number;
  readonly job: JobSeen;
}

/** In milliseconds from the kill; null: not yet. */
interface Sample {
  claimedMs: number | null;
  repliedMs: number | null;
}

type Samples = ReadonlyMap<Place, Sample>;

const JOB = 'id, state, worker, claim_no as "claimNo"';

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** The newest job of the place's queue that is about this person. */
async function taskOf(client: Client, place: Place, person: MatrixPerson): Promise<JobSeen> {
  const { rows } = await client.query<JobSeen>(
    `select ${JOB} from job
     where queue = $1 and (key = $2 or key = $3
       or key in (select id::text from message where conversation_id::text = $2))
     order by id desc limit 1`,
    [MEASURED[place].queue, person.conversationId, `telegram:${String(person.chatId)}`],
  );
  const [job] = rows;
  if (job === undefined) throw new Error(`${place}: there is no job`);
  return job;
}

/**
 * A replica waits for the blocked peer for a second at a time, then another replica may claim the job.
 * Resolves when the replica that will be killed has just claimed it.
 */
async function untilItsTurn(
  client: Client,
  person: MatrixPerson,
  victim: string | null,
): Promise<JobSeen> {
  const { claimNo } = await taskOf(client, BEFORE_DELIVERY, person);
  for (;;) {
    const job = await taskOf(client, BEFORE_DELIVERY, person);
    if (job.state === 'running' && job.worker === victim && job.claimNo > claimNo) return job;
    await moment();
  }
}

async function killOnce(stage: Deployment, client: Client, leaseS: number): Promise<Samples> {
  const env = { ...POLL, JOB_LEASE: String(leaseS) };
  const first = await stage.serveFirst(env);
  const people = new Map<Place, MatrixPerson>();
  for (const place of PLACES) people.set(place, await stage.person(place));
  for (const [place, person] of people) await POINTS[place](stage, person);
  const second = await stage.serve(env);
  stage.balancer.leadTo(first.port, second.port);

  const waiting = new Map<Place, Waiting>();
  for (const [place, person] of people) {
    const job = await taskOf(client, place, person);
    waiting.set(place, { place, person, heard: person.heard.length, job });
  }
  const { job: streamed } = known(waiting, STREAM);
  const before = known(waiting, BEFORE_DELIVERY);
  const job = await untilItsTurn(client, before.person, streamed.worker);
  waiting.set(BEFORE_DELIVERY, { ...before, job });

  first.server.signal('SIGKILL');
  const killedMs = performance.now();
  await known(waiting, QUIET).person.endWindow();
  await first.server.exited;
  await letPeersGo(stage);
  const samples = await watch(client, [...waiting.values()], { victim: streamed.worker, killedMs });
  await second.server.stop();
  return samples;
}

function known(waiting: ReadonlyMap<Place, Waiting>, place: Place): Waiting {
  const found = waiting.get(place);
  if (found === undefined) throw new Error(`nobody is ${place}`);
  return found;
}

async function watch(
  client: Client,
  waiting: readonly Waiting[],
  { victim, killedMs }: { readonly victim: string | null; readonly killedMs: number },
): Promise<Samples> {
  const samples = new Map<Place, Sample>();
  for (const { place } of waiting) samples.set(place, { claimedMs: null, repliedMs: null });
  const isOpen = ({ claimedMs, repliedMs }: Sample): boolean =>
    claimedMs === null || repliedMs === null;
  while ([...samples.values()].some(isOpen)) {
    const { rows } = await client.query<JobSeen>(
      `select ${JOB} from job where id = any($1::bigint[])`,
      [waiting.map(({ job }) => job.id)],
    );
    const passedMs = performance.now() - killedMs;
    for (const { place, person, heard, job } of waiting) {
      const sample = samples.get(place);
      const now = rows.find(({ id }) => id === job.id);
      if (sample === undefined || now === undefined) throw new Error(`${place}: the job is gone`);
      if (now.claimNo > job.claimNo && now.worker !== victim) sample.claimedMs ??= passedMs;
      if (person.heard.length > heard) sample.repliedMs ??= passedMs;
    }
    if (passedMs > LONGEST_MS)
      throw new Error(`no takeover within ${LONGEST_MS} ms: ${JSON.stringify([...samples])}`);
    await moment();
  }
  return samples;
}

function figuresOf(leaseS: number, kills: readonly Samples[]): Figure[] {
  return PLACES.flatMap((place) => {
    const of = (what: keyof Sample): number[] =>
      kills.map((samples) => samples.get(place)?.[what] ?? Number.NaN);
    const name = `lease ${String(leaseS)} s, ${MEASURED[place].name}`;
    const bound = { atMost: leaseS * 1000 + SLACK_MS };
    return [
      { name: `${name}: claimed, median`, value: median(of('claimedMs')), unit: 'ms' },
      { name: `${name}: claimed, longest`, value: Math.max(...of('claimedMs')), unit: 'ms', bound },
      { name: `${name}: replied, median`, value: median(of('repliedMs')), unit: 'ms' },
      { name: `${name}: replied, longest`, value: Math.max(...of('repliedMs')), unit: 'ms' },
    ];
  });
}

async function main(): Promise<void> {
  const stage = await Deployment.open('webhook', async () => {
    const database = await openBenchDatabase();
    return { url: database.url, drop: () => database.close() };
  });
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const figures: Figure[] = [];
  for (const leaseS of LEASES_S) {
    const kills: Samples[] = [];
    for (let n = 0; n < REPETITIONS; n += 1) kills.push(await killOnce(stage, client, leaseS));
    figures.push(...figuresOf(leaseS, kills));
  }
  await client.end();
  await stage.close();
  report('takeover', figures, [
    `${String(REPETITIONS)} kills for each lease; bound: claimed within lease + ${String(SLACK_MS)} ms`,
    `looked at about every ${String(POLL_MS)} ms; both replicas poll every ${POLL.JOB_POLL} s`,
  ]);
}

void main();
