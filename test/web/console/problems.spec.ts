/** How a failed request becomes a sentence. */
import { HTTP_PROBLEMS } from '../../../src/common/http/problem-codes';
import { ApiProblem, done } from '../../../web/console/api/problem';
import { dictionaries } from '../../../web/console/texts/dictionary';

const { en, ru } = dictionaries;

async function problemOf(call: Promise<{ error?: unknown; response: Response }>) {
  return done(call).then(
    () => null,
    (error: unknown) => error,
  );
}

test('knows the code and the time to wait of a problem document', async () => {
  const response = new Response(null, { status: 429, headers: { 'retry-after': '120' } });

  const problem = await problemOf(
    Promise.resolve({ error: { code: 'too_many_attempts' }, response }),
  );

  expect(problem).toEqual(new ApiProblem(429, 'too_many_attempts', 120));
  expect(en.problem(problem as ApiProblem)).toBe('Too many attempts. Try again in 2 minutes.');
  expect(ru.problem(problem as ApiProblem)).toMatch(/через 2\sмин\.$/);
});

test('says it without a time where the server gives none', () => {
  expect(en.problem(new ApiProblem(429, 'too_many_requests'))).toContain('in a few minutes');
  expect(ru.problem(new ApiProblem(503, 'busy'))).toContain('через несколько минут');
});

test('a response of another program has no code of ours', async () => {
  const response = new Response('<h1>Bad gateway</h1>', { status: 502 });

  const problem = await problemOf(Promise.resolve({ error: '<h1>Bad gateway</h1>', response }));

  expect(problem).toMatchObject({ status: 502, code: 'unknown', isPassing: true });
});

test('no response at all is a connection that fails', async () => {
  const problem = await problemOf(Promise.reject(new TypeError('Failed to fetch')));

  expect(problem).toMatchObject({ code: 'unreachable', isPassing: true });
  expect(en.problem(problem as ApiProblem)).toContain('isn’t responding');
});

test('a request that nobody awaits any more is no problem', async () => {
  const abort = new DOMException('aborted', 'AbortError');

  expect(await problemOf(Promise.reject(abort))).toBe(abort);
});

test('an unknown code stands in the sentence, so that it can be told to somebody', () => {
  expect(en.problem(new ApiProblem(409, 'something_new'))).toContain('something_new');
  expect(ru.problem(new ApiProblem(409, 'something_new'))).toContain('something_new');
});

test.each(Object.keys(HTTP_PROBLEMS).filter((code) => code.startsWith('oidc_')))(
  'the sign-in page says in words what %s is, except for a failure that only the log explains',
  (code) => {
    for (const texts of [en, ru]) {
      expect(texts.singleSignOnProblem(code).includes(code)).toBe(code === 'oidc_failed');
    }
  },
);
