import type { UIMessage } from 'ai';
import { replyWith } from '../../../tools/fake-model/model-server';
import { streamCalls } from '../../../tools/fake-model/tool-replies';
import { CHAT, chunksOf, messageOf, said, submit, textOf } from './chat-client';
import { STREAMS, withManyReaders } from './mid-reply';
import { closeReaders, readEvents } from './event-source';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { storeDocuments } from '../../interview/knowledge-turns';

withManyReaders();

const SEARCH = streamCalls(['search_knowledge', { query: 'early shift' }]);
const ANSWER = replyWith('question', 'It begins at four.', { sources: '1' });
const QUESTION = 'When does the early shift begin?';

/** The vacancy gets a document to search. */
function storeDocument(app: TestApp): Promise<void> {
  return storeDocuments(app, { 'shifts.en.md': 'The early shift begins at four in the morning.' });
}

/** Kinds of parts, with what a person would tell them apart by. */
function partsOf(message: UIMessage | undefined): unknown[] {
  return (message?.parts ?? []).map((part) => {
    if (part.type === 'data-agent') return part.data;
    if (part.type === 'dynamic-tool') return [part.toolName, part.state, part.input, part.output];
    return part.type;
  });
}

const EXPECTED = [
  'step-start',
  { agent: 'technical' },
  { agent: 'answers' },
  [
    'search_knowledge',
    'output-available',
    { query: 'early shift' },
    { documents: ['shifts.en.md'] },
  ],
  'text',
];

describe('agents and tools in the API of the AI SDK', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(CHAT);
    await storeDocument(app);
  });

  afterAll(() => app.close());

  test('streams the agent, the call and its result before the text, and never a passage', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(SEARCH, ANSWER);

    const chunks = await chunksOf(await submit(candidate, [said('m1', QUESTION)]));

    expect(chunks.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual([
      'start',
      'start-step',
      'data-agent',
      'data-agent',
      'tool-input-available',
      'tool-output-available',
      'text-start',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(JSON.stringify(chunks)).not.toContain('four in the morning');
  });

  test("gives the SDK's client the same message live and stored", async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(SEARCH, ANSWER);

    const live = await messageOf(await submit(candidate, [said('m1', QUESTION)]));
    const again = await messageOf(
      await submit(candidate, [said('m1', QUESTION)], { trigger: 'regenerate-message' }),
    );

    expect(partsOf(live)).toEqual(EXPECTED);
    expect(textOf(live)).toContain('It begins at four.');
    expect(again).toEqual(live);
  });

  test('shows the transcript without them', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(SEARCH, ANSWER);
    await chunksOf(await submit(candidate, [said('m1', QUESTION)]));

    const { messages } = await candidate.view();

    expect(messages.map(({ role }) => role)).toEqual([
      'assistant',
      'assistant',
      'user',
      'assistant',
    ]);
  });
});

test('the event stream shows the agent and the search before the reply', async () => {
  const app = await startTestApp(STREAMS);
  try {
    const candidate = await TestCandidate.begin(app);
    await storeDocument(app);
    const reader = await readEvents(candidate);
    app.model.next(SEARCH, ANSWER);

    await candidate.send('m1', QUESTION);
    await reader.until((told) => told.of('finish').length === 1);

    const names = reader.names.filter((name) => name !== 'state');
    expect(names.slice(names.indexOf('part'), names.indexOf('delta'))).toEqual([
      'part',
      'part',
      'part',
      'part',
      'start',
    ]);
    const parts = reader.of('part').map(({ data }) => data as unknown as { type: string });
    expect(parts.map(({ type }) => type)).toEqual(['agent', 'agent', 'call', 'result']);
    expect(JSON.stringify(parts)).not.toContain('four in the morning');
  } finally {
    closeReaders();
    app.model.release();
    await app.close();
  }
});

test('a client on another replica gets the same parts', async () => {
  const app = await startTestApp(STREAMS);
  const other = await startReplica(app, { isWorking: false });
  try {
    const candidate = await TestCandidate.begin(app);
    await storeDocument(app);
    app.model.next(SEARCH, ANSWER);

    const stream = await submit(candidate.at(other), [said('m1', QUESTION)]);

    const message = await messageOf(stream);
    expect(textOf(message)).toContain('It begins at four.');
    // The order depends on which signal was faster: rows or text.
    expect(partsOf(message)).toEqual(expect.arrayContaining(EXPECTED) as unknown[]);
    expect(message?.parts).toHaveLength(EXPECTED.length);
  } finally {
    closeReaders();
    app.model.release();
    await app.close();
  }
});
