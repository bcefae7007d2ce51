import { ProblemError } from '../../../src/common/http';
import { KeyLimits } from '../../../src/access/keys/key-limits';
import type { Principal } from '../../../src/access/rights';
import { FakeClock } from '../../../tools/support/fake-clock';
import { settingsForTests } from '../../support/settings';

const LIMIT = 3;

let clock: FakeClock;
let limits: KeyLimits;

beforeEach(() => {
  clock = new FakeClock();
  const env = { RATE_LIMIT_OF_KEY_PER_MINUTE: String(LIMIT) };
  limits = new KeyLimits(settingsForTests(env), clock);
});

function keyOf(name: string): Principal {
  return { userId: null, keyId: name, actor: `key ${name}`, scopes: [], vacancyIds: null };
}

interface Counted {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ProblemError | null;
}

/** One request with this key. */
function count(name = 'crm'): Counted {
  const headers: Record<string, string> = {};
  const reply = {
    header: (header: string, value: string): void => {
      headers[header] = value;
    },
  };
  try {
    limits.count(keyOf(name), reply);
    return { headers, refusal: null };
  } catch (error) {
    if (error instanceof ProblemError) return { headers, refusal: error };
    throw error;
  }
}

test('the headers say how many requests are left, and after how many seconds all are', () => {
  const first = count();
  clock.advance(20_500);
  const second = count();

  expect(first.headers).toEqual({
    'ratelimit-limit': '3',
    'ratelimit-remaining': '2',
    'ratelimit-reset': '60',
  });
  expect(second.headers).toMatchObject({ 'ratelimit-remaining': '1', 'ratelimit-reset': '40' });
});

test('after the limit a key is refused until its minute is over, and other keys are not', () => {
  for (let n = 0; n < LIMIT; n += 1) expect(count().refusal).toBeNull();
  clock.advance(59_999);

  const refused = count();

  expect(refused.refusal).toMatchObject({ status: 429, code: 'too_many_requests', retryAfterS: 1 });
  expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0', 'ratelimit-reset': '1' });
  expect(count('spreadsheet').refusal).toBeNull();
  clock.advance(1);
  expect(count().refusal).toBeNull();
});
