import { withConstants } from '../../support/constants';
import { STREAM_LIMITS } from '../../../src/channels/web/events/sse-response';
import fc from 'fast-check';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { BODIES, LONE_SURROGATE, post } from './raw-posts';

/** JSON of any form, often with the expected fields; some of it broken. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('m1', 'user', 'text', 'typing', '2026-11', '\0', LONE_SURROGATE, 'x'.repeat(200)),
);
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, text, fc.jsonValue(), fc.array(tie('any')), tie('fields')),
  fields: fc.record(
    {
      id: tie('any'),
      text: tie('any'),
      type: tie('any'),
      role: tie('any'),
      parts: tie('any'),
      messages: tie('any'),
      trigger: tie('any'),
      version: tie('any'),
      accepted: fc.boolean(),
      name: tie('any'),
      contact: tie('any'),
      invite: tie('any'),
    },
    { requiredKeys: [] },
  ),
})).fields;
/** Bodies that the chat's own schema accepts. */
const chat = fc.record({
  id: text,
  messages: fc.array(
    fc.record({
      id: text,
      role: fc.constantFrom('user', 'assistant', 'system', 'x'),
      parts: fc.array(fc.record({ type: fc.constantFrom('text', 'file'), text })),
    }),
    { maxLength: 4 },
  ),
  trigger: fc.constantFrom('submit-message', 'regenerate-message', 'x'),
});
const bodies = fc.oneof(
  fc.oneof(value, chat).map((json) => JSON.stringify(json)),
  fc.json(),
  fc.json().map((json) => json.slice(0, -1)),
);

describe('any JSON at all', () => {
  let app: TestApp;

  withConstants(STREAM_LIMITS, { perSession: 10_000 });

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
  });

  afterAll(() => app.close());

  test.each(BODIES)('%s never responds to it with a 5xx', async (path) => {
    const candidate = await TestCandidate.begin(app);

    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { status, code } = await post(candidate, path, body);
        if (status >= 500) throw new Error(`${status} ${String(code)}`);
        if (status >= 400) expect(code).toMatch(/^[a-z_]+$/);
      }),
      { numRuns: 60 },
    );
  });
});
