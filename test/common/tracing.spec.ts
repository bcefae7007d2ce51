import { setImmediate as nextTick } from 'node:timers/promises';
import {
  Flow,
  captureFlow,
  currentTraceparent,
  flowFields,
  noteIds,
  outsideFlows,
  runFlow,
  step,
} from '../../src/common/tracing';
import { type Attributes, type SpanStart, recordSpansBy } from '../../src/common/tracing/flow';

interface Recorded extends SpanStart {
  readonly traceparent: string;
  readonly added: Attributes;
  readonly errorType: string | null;
}

/** Spans that have ended, in that order. */
let ended: Recorded[];

beforeEach(() => {
  ended = [];
});

afterEach(() => {
  recordSpansBy(null);
});

function record(): void {
  let begun = 0;
  recordSpansBy((start) => {
    begun += 1;
    const traceparent = `00-${'a'.repeat(32)}-${String(begun).padStart(16, '0')}-01`;
    let added: Attributes = {};
    return {
      traceparent,
      isRecorded: true,
      add: (more) => {
        added = { ...added, ...more };
      },
      end: (errorType) => {
        ended.push({ ...start, traceparent, added, errorType });
      },
    };
  });
}

const REQUEST = { name: 'POST /x', kind: 'server' } as const;

test('a step is a child of the flow, and both carry the ids that were noted in it', async () => {
  record();

  await runFlow({ ...REQUEST, ids: { request: 'r1' } }, () =>
    step({ name: 'commit x' }, async (add) => {
      await nextTick();
      noteIds({ conversation: 'c1' });
      add({ 'colloquy.outcome': 'stored' });
    }),
  );

  const [inner, outer] = ended;
  expect(inner).toMatchObject({
    name: 'commit x',
    parent: outer?.traceparent,
    added: { 'colloquy.outcome': 'stored', 'colloquy.conversation.id': 'c1' },
  });
  expect(outer?.added).toEqual({ 'colloquy.request.id': 'r1', 'colloquy.conversation.id': 'c1' });
});

test('a failed span has the kind of the error and not its words', async () => {
  record();

  const failing = runFlow(REQUEST, () => Promise.reject(new TypeError('said: my name is Ada')));

  await expect(failing).rejects.toThrow();
  expect(ended).toMatchObject([{ errorType: 'TypeError' }]);
  expect(JSON.stringify(ended)).not.toContain('Ada');
});

test('a flow does not continue the flow in which it begins', async () => {
  record();

  await runFlow(REQUEST, async () => {
    Flow.begin({ name: 'job flush', kind: 'consumer', cause: currentTraceparent() }).end();
    await nextTick();
  });

  expect(ended[0]).toMatchObject({ parent: null, cause: ended[1]?.traceparent });
});

test('log lines of a flow have its ids, those of others and of shared work have none', async () => {
  const seen: Record<string, unknown>[] = [];
  await runFlow({ ...REQUEST, ids: { request: 'r1' } }, async () => {
    await runFlow({ ...REQUEST, ids: { request: 'r2' } }, () => Promise.resolve());
    noteIds({ turn: '7' });
    seen.push(flowFields(), outsideFlows(flowFields));
    await nextTick();
  });
  seen.push(flowFields());

  expect(seen).toEqual([
    { trace: expect.stringMatching(/^[\da-f]{32}$/) as string, request: 'r1', turn: '7' },
    {},
    {},
  ]);
});

test("without a recorder a flow keeps its parent's trace id, and steps start no span", async () => {
  const parent = `00-${'b'.repeat(32)}-${'1'.repeat(16)}-01`;

  const seen = await runFlow({ ...REQUEST, parent }, () =>
    step({ name: 'commit x' }, () => Promise.resolve(currentTraceparent())),
  );

  expect(seen).toBe(parent);
});

test('work that is done later together with that of others runs in its own flow', async () => {
  const captured = await runFlow({ ...REQUEST, ids: { request: 'r1' } }, () =>
    Promise.resolve(captureFlow()),
  );
  const outside = captureFlow();

  await runFlow({ ...REQUEST, ids: { request: 'r2' } }, () => {
    expect(captured(flowFields)).toMatchObject({ request: 'r1' });
    expect(outside(flowFields)).toEqual({});
    return Promise.resolve();
  });
});
