import type { SendOutcome } from '../../src/channels';
import type { SendHistory, NextSend } from '../../src/delivery';
import { afterSend, isOutage, mayHaveArrived } from '../../src/delivery/resend-rules';

const OUTCOMES: readonly SendOutcome[] = [
  { kind: 'sent', externalId: 'm1' },
  { kind: 'unknown' },
  { kind: 'unknown', isOurs: true },
  { kind: 'server_error', error: 'status_502' },
  { kind: 'not_sent', error: 'broken' },
  { kind: 'paused', forMs: 1000 },
  { kind: 'unavailable', error: 'unreachable' },
  { kind: 'refused', error: 'status_400' },
  { kind: 'blocked', error: 'blocked' },
];
/** An upper bound: no new history appears in longer sequences, although pauses may repeat forever. */
const LONGEST = 14;
const PAUSES = [1000, 5000, 30_000, 120_000];

interface Path {
  readonly history: SendHistory;
  readonly outcomes: readonly SendOutcome['kind'][];
}

const NEW: SendHistory = { failures: 0, unknowns: 0, serverErrors: 0 };

function count({ outcomes }: Path, kind: SendOutcome['kind']): number {
  return outcomes.filter((outcome) => outcome === kind).length;
}

/** Walks every sequence of outcomes, but continues from each history only once. */
function everyStep(check: (path: Path, next: NextSend, outcome: SendOutcome) => void): number {
  let steps = 0;
  let paths: Path[] = [{ history: NEW, outcomes: [] }];
  const seen = new Set<string>();
  for (let length = 0; length < LONGEST && paths.length > 0; length += 1) {
    const longer: Path[] = [];
    for (const path of paths) {
      for (const outcome of OUTCOMES) {
        const next = afterSend(path.history, outcome, 0.5);
        const outcomes = [...path.outcomes, outcome.kind];
        check({ history: path.history, outcomes }, next, outcome);
        steps += 1;
        if (next.kind !== 'again') continue;
        const { failures, unknowns, serverErrors } = next;
        const key = `${failures}.${unknowns}.${serverErrors}`;
        if (!seen.has(key)) longer.push({ history: next, outcomes });
        seen.add(key);
      }
    }
    paths = longer;
  }
  expect(paths).toEqual([]);
  return steps;
}

test('a part is resent at most four times after 5xx and once after timeouts', () => {
  const steps = everyStep((path, next) => {
    const [serverErrors, unknowns] = [count(path, 'server_error'), count(path, 'unknown')];
    expect(serverErrors).toBeLessThanOrEqual(5);
    expect(unknowns).toBeLessThanOrEqual(2);
    expect(count(path, 'not_sent')).toBeLessThanOrEqual(5);
    if (next.kind !== 'again') return;
    expect(serverErrors).toBeLessThanOrEqual(4);
    expect(unknowns).toBeLessThanOrEqual(1);
    expect(next).toMatchObject({ serverErrors, unknowns, failures: count(path, 'not_sent') });
  });
  expect(steps).toBeGreaterThan(400);
});

test('a part ends as sent only if the server accepted it', () => {
  everyStep((_path, next, outcome) => {
    expect(next.kind === 'sent').toBe(outcome.kind === 'sent');
  });
});

test('a part that may have arrived ends unconfirmed when its tries are used up, never dead', () => {
  everyStep((path, next, outcome) => {
    const arrived = count(path, 'server_error') + count(path, 'unknown') > 0;
    if (next.kind === 'again') expect(mayHaveArrived(next)).toBe(arrived);
    if (next.kind === 'unconfirmed') expect(arrived).toBe(true);
    if (next.kind === 'dead' && outcome.kind !== 'refused') expect(arrived).toBe(false);
  });
});

test('the pauses after the first four 5xx are 1, 5, 30 and 120 s', () => {
  everyStep((path, next, outcome) => {
    if (outcome.kind !== 'server_error') return;
    const delayMs = PAUSES[count(path, 'server_error') - 1];
    if (delayMs === undefined) expect(next).toEqual({ kind: 'unconfirmed' });
    else expect(next).toMatchObject({ kind: 'again', delayMs });
  });
});

test('a pause of the channel costs a part nothing, and what ends it is told on', () => {
  const history = { failures: 2, unknowns: 1, serverErrors: 3 };
  const again = { kind: 'again', ...history, delayMs: 0 };
  expect(afterSend(history, { kind: 'paused', forMs: 900 }, 1)).toEqual(again);
  expect(afterSend(history, { kind: 'unavailable', error: 'unreachable' }, 1)).toEqual(again);
  const sent = { kind: 'sent', externalId: 'm1' } as const;
  expect(afterSend(history, sent, 1)).toEqual(sent);
  const blocked = { kind: 'blocked', error: 'left' } as const;
  expect(afterSend(history, blocked, 1)).toEqual(blocked);
  const refused = { kind: 'refused', error: 'status_400' } as const;
  expect(afterSend(history, refused, 1)).toEqual({ kind: 'dead', error: 'status_400' });
});

test('the pauses after sends without arrival double, and one without a response waits like the next of them', () => {
  const failed = { kind: 'not_sent', error: 'broken' } as const;
  const delays = [0, 1, 2, 3].map((failures) => afterSend({ ...NEW, failures }, failed, 1));
  expect(delays).toMatchObject([1000, 2000, 4000, 8000].map((delayMs) => ({ delayMs })));
  expect(afterSend({ ...NEW, failures: 4 }, failed, 1)).toEqual({ kind: 'dead', error: 'broken' });
  const arrived = { ...NEW, failures: 4, serverErrors: 1 };
  expect(afterSend(arrived, failed, 1)).toEqual({ kind: 'unconfirmed' });
  expect(afterSend({ ...NEW, unknowns: 1 }, { kind: 'unknown' }, 1)).toEqual({
    kind: 'unconfirmed',
  });
  expect(afterSend({ ...NEW, failures: 2 }, { kind: 'unknown' }, 1)).toEqual({
    kind: 'again',
    failures: 2,
    unknowns: 1,
    serverErrors: 0,
    delayMs: 4000,
  });
});

test('only what the server did, or did not respond to, counts as its outage', () => {
  const outages = OUTCOMES.map((outcome) => [outcome.kind, isOutage(outcome)]);
  expect(outages).toEqual([
    ['sent', false],
    ['unknown', true],
    // This process ended it.
    ['unknown', false],
    ['server_error', true],
    ['not_sent', false],
    ['paused', false],
    ['unavailable', true],
    ['refused', false],
    ['blocked', false],
  ]);
});
