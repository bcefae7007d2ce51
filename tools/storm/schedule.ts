import { Chance } from './chance';

/** How a model server fails at one request. */
export const MODEL_FAULTS = [
  'rate_limited',
  'server_error',
  'overloaded',
  'truncated',
  'malformed',
  'unfinished',
  'silent',
  'dropped',
] as const;
export type ModelFault = (typeof MODEL_FAULTS)[number];

/** How the Bot API fails at one message. */
export const TELEGRAM_FAULTS = [
  'rate_limited',
  'server_error',
  'lost_before',
  'lost_after',
  'always_lost_after',
  'late_after',
  'malformed',
] as const;
export type TelegramFault = (typeof TELEGRAM_FAULTS)[number];

export const NOTION_FAULTS = ['rate_limited', 'server_error', 'overloaded', 'dropped'] as const;
export type NotionFault = (typeof NOTION_FAULTS)[number];

/** What lies behind a proxy: a replica's own way to PostgreSQL, a peer, or the replicas themselves. */
export type Link = `database ${number}` | 'model' | 'telegram' | 'notion' | 'front';

/** Commits at which a replica is killed, right before or right after PostgreSQL has stored them. */
export const KILL_POINTS = [
  'buffer.append',
  'telegram.take',
  'turn.open',
  'turn.close',
  'deliver.take',
  'deliver.settle',
] as const;

/** Commits with which the owner of a job stores what it has done; one is drawn, so `turn.close` twice as often. */
export const OWNER_COMMITS = ['turn.close', 'turn.close', 'deliver.settle'] as const;
export type OwnerCommit = (typeof OWNER_COMMITS)[number];

/** What the storm of a bug has more of: SIGTERMs, or owners that store a reply or the outcome of a send too late. */
export type Aim = 'sigterm' | 'late_reply' | 'late_outcome';

/** One thing that goes wrong. `forMs`: how long it lasts. `replica`: from 0. */
export type Fault =
  | { readonly kind: 'kill'; readonly replica: number }
  | {
      readonly kind: 'kill_at_commit';
      readonly replica: number;
      readonly commit: (typeof KILL_POINTS)[number];
      readonly when: 'before' | 'after';
    }
  | { readonly kind: 'terminate'; readonly replica: number }
  | { readonly kind: 'freeze'; readonly replica: number; readonly forMs: number }
  | {
      /** Right before the commit, for longer than a lease: another replica gets the job meanwhile. */
      readonly kind: 'freeze_at_commit';
      readonly replica: number;
      readonly commit: OwnerCommit;
      readonly forMs: number;
      /** It goes on as soon as the model is asked again for an answer, so that both store its reply at once. */
      readonly untilAskedAgain: boolean;
    }
  | {
      /** The first owner that comes to the commit loses its lease, and stops until another has ended its job. */
      readonly kind: 'late_owner';
      readonly commit: OwnerCommit;
    }
  | { readonly kind: 'jump_clock'; readonly replica: number; readonly byMs: number }
  | { readonly kind: 'kill_database' }
  | { readonly kind: 'full_disk'; readonly forMs: number }
  | { readonly kind: 'slow_statements'; readonly forMs: number }
  | { readonly kind: 'cut_listen' }
  | { readonly kind: 'distant_database'; readonly forMs: number }
  | { readonly kind: 'delay'; readonly link: Link; readonly byMs: number; readonly forMs: number }
  | { readonly kind: 'cut_in_frame'; readonly link: Link }
  | { readonly kind: 'black_hole'; readonly link: Link; readonly forMs: number }
  | { readonly kind: 'reset'; readonly link: Link }
  | { readonly kind: 'model'; readonly fault: ModelFault }
  | { readonly kind: 'telegram'; readonly fault: TelegramFault }
  | { readonly kind: 'notion'; readonly fault: NotionFault }
  | { readonly kind: 'repeat_update'; readonly howOld: number };

export interface PlannedFault {
  /** From the beginning of the storm. */
  readonly atMs: number;
  readonly fault: Fault;
}

export const REPLICAS = 3;
/** A round trip of 20 ms. */
export const DISTANT_MS = 10;

/** Mean pauses between the faults of each group. */
const PROCESS_EVERY_MS = 5000;
const OWNER_EVERY_MS = 6000;
const CLOCK_EVERY_MS = 12_000;
const DATABASE_EVERY_MS = 5000;
const LINK_EVERY_MS = 700;
const PEER_EVERY_MS = 180;
const UPDATE_EVERY_MS = 250;
const SIGTERM_EVERY_MS = 4000;
const LATE_OWNER_EVERY_MS = 3000;
/** Only short faults begin in the last seconds. */
const LAST_MS = 3000;

/**
 * All faults of a storm, in the order of their time: a function of seed and length. The disk is full
 * once, at two fifths of the storm, and PostgreSQL is killed at least once. `aim`: what happens every few seconds
 * beside all that, a SIGTERM, or an owner that stores what it has done after its successor.
 */
export function scheduleOf(
  seed: number,
  lengthMs: number,
  aim: Aim | null = null,
): readonly PlannedFault[] {
  const chance = new Chance(seed);
  const planned: PlannedFault[] = [];
  const fill = (name: string, everyMs: number, draw: (chance: Chance) => Fault): void => {
    const own = chance.fork(name);
    let atMs = own.between(0, everyMs);
    while (atMs < lengthMs - LAST_MS) {
      planned.push({ atMs: Math.round(atMs), fault: draw(own) });
      atMs += own.between(everyMs / 2, everyMs * 1.5);
    }
  };
  fill('process', PROCESS_EVERY_MS, processFault);
  fill('owner', OWNER_EVERY_MS, ownerFault);
  fill('clock', CLOCK_EVERY_MS, clockFault);
  fill('database', DATABASE_EVERY_MS, databaseFault);
  fill('link', LINK_EVERY_MS, linkFault);
  fill('peer', PEER_EVERY_MS, peerFault);
  fill('update', UPDATE_EVERY_MS, (own) => ({ kind: 'repeat_update', howOld: own.below(20) }));
  if (aim === 'sigterm') {
    fill('sigterm', SIGTERM_EVERY_MS, (own) => ({
      kind: 'terminate',
      replica: own.below(REPLICAS),
    }));
  }
  if (aim === 'late_reply' || aim === 'late_outcome') {
    const commit = aim === 'late_reply' ? 'turn.close' : 'deliver.settle';
    fill('late owner', LATE_OWNER_EVERY_MS, () => ({ kind: 'late_owner', commit }));
  }
  planned.push(
    { atMs: Math.round(lengthMs * 0.4), fault: { kind: 'full_disk', forMs: 1500 } },
    { atMs: Math.round(lengthMs * 0.7), fault: { kind: 'kill_database' } },
  );
  return planned.toSorted((one, other) => one.atMs - other.atMs);
}

function processFault(chance: Chance): Fault {
  const replica = chance.below(REPLICAS);
  switch (chance.below(5)) {
    case 0:
      return { kind: 'kill', replica };
    case 1:
    case 2: {
      const commit = chance.pick(KILL_POINTS);
      return { kind: 'kill_at_commit', replica, commit, when: chance.pick(['before', 'after']) };
    }
    case 3:
      return { kind: 'terminate', replica };
    default:
      return { kind: 'freeze', replica, forMs: Math.round(chance.between(2000, 9000)) };
  }
}

function ownerFault(chance: Chance): Fault {
  return {
    kind: 'freeze_at_commit',
    replica: chance.below(REPLICAS),
    commit: chance.pick(OWNER_COMMITS),
    forMs: Math.round(chance.between(6000, 9000)),
    untilAskedAgain: chance.below(2) === 0,
  };
}

function clockFault(chance: Chance): Fault {
  const hours = chance.pick([-48, -1, 1, 48]);
  return { kind: 'jump_clock', replica: chance.below(REPLICAS), byMs: hours * 3_600_000 };
}

function databaseFault(chance: Chance): Fault {
  switch (chance.below(8)) {
    case 0:
      return { kind: 'kill_database' };
    case 1:
    case 2:
      return { kind: 'slow_statements', forMs: Math.round(chance.between(300, 1500)) };
    case 3:
    case 4:
      return { kind: 'distant_database', forMs: Math.round(chance.between(1000, 5000)) };
    default:
      return { kind: 'cut_listen' };
  }
}

function linkFault(chance: Chance): Fault {
  const databases = Array.from({ length: REPLICAS }, (_, n): Link => `database ${n}`);
  const link = chance.pick<Link>([...databases, 'model', 'telegram', 'notion', 'front']);
  const forMs = Math.round(chance.between(200, 2500));
  switch (chance.below(6)) {
    case 0:
      return { kind: 'black_hole', link, forMs };
    case 1:
      // Late calls to Notion would arrive together, which says nothing about when they began.
      if (link === 'notion') return { kind: 'reset', link };
      return { kind: 'delay', link, byMs: Math.round(chance.between(5, 60)), forMs };
    case 2:
      return { kind: 'reset', link };
    default:
      return { kind: 'cut_in_frame', link };
  }
}

function peerFault(chance: Chance): Fault {
  const n = chance.below(30);
  // Each keeps Notion away for seconds, and its budget has to be in use.
  if (n === 0) return { kind: 'notion', fault: chance.pick(NOTION_FAULTS) };
  return n <= 12
    ? { kind: 'telegram', fault: chance.pick(TELEGRAM_FAULTS) }
    : { kind: 'model', fault: chance.pick(MODEL_FAULTS) };
}
