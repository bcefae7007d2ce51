import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { untilInProcess } from '../support/until';
import { ModelServer } from '../../tools/fake-model/model-server';
import { closeInterviews, words } from './interviews';

/** A turn as readers see it: HTTP and event streams, on the real clock. */

let model: ModelServer;
let app: TestApp;

beforeAll(async () => {
  model = await ModelServer.start();
  app = await startTestApp({ env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.baseUrl } });
});

afterAll(async () => {
  model.release();
  await closeInterviews(app);
  await model.close();
});

const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"One for all. T',
  rest: 'hank you."}',
} as const;

/** What one reader of `/events` has received so far. */
class Tab {
  text = '';
  private readonly controller = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  static async open(candidate: TestCandidate): Promise<Tab> {
    const tab = new Tab();
    const { signal } = tab.controller;
    const response = await candidate.get('/api/v1/conversation/events', {}, signal);
    tab.reading = tab.read(response).catch(() => undefined);
    return tab;
  }

  until(part: string): Promise<void> {
    return untilInProcess(`the reader has ${part}`, () => this.text.includes(part));
  }

  async close(): Promise<void> {
    this.controller.abort();
    await this.reading;
  }

  private async read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) this.text += decoder.decode(chunk as Uint8Array);
  }
}

test('two tabs and a message sent twice lead to one request and one reply', async () => {
  const candidate = await TestCandidate.begin(app);
  const requestsBefore = model.requests.length;
  const [first, second] = [await Tab.open(candidate), await Tab.open(candidate)];
  model.next(HELD);
  const text = words();

  await candidate.send('a', text);
  await candidate.send('a', text);
  await model.request(requestsBefore + 1);
  await first.until('One for all.');
  await first.close();
  model.release();
  await second.until('event: finish');
  await second.close();

  const view = await candidate.view();
  expect(model.requests).toHaveLength(requestsBefore + 1);
  expect(view.messages.map(({ role }) => role).slice(2)).toEqual(['user', 'assistant']);
  expect(view.messages.at(-1)?.text).toMatch(/^One for all\./);
  expect(second.text.indexOf('event: delta')).toBeLessThan(second.text.indexOf('event: finish'));
});

test('a reader gets no text before the verdict, and none of an overridden reply', async () => {
  const candidate = await TestCandidate.begin(app);
  const tab = await Tab.open(candidate);
  model.next({
    kind: 'hold',
    content: '{"text":"LEAVE THIS","verdict":"lea',
    rest: 've"}',
  });
  const requestsBefore = model.requests.length;

  await candidate.send('a', 'I do not know, maybe I stop here.');
  await model.request(requestsBefore + 1);
  await tab.until('"replying":true');
  expect(tab.text).not.toContain('event: delta');
  model.release();
  await tab.until('event: finish');
  await tab.close();

  expect(tab.text).not.toContain('LEAVE THIS');
});

test('a stop over HTTP ends the reply at the shown text', async () => {
  const candidate = await TestCandidate.begin(app);
  const tab = await Tab.open(candidate);
  model.next(HELD);

  await candidate.send('a', words());
  await tab.until('One for all.');
  await candidate.post('stop');
  await tab.until('event: finish');
  await tab.close();
  model.release();

  const view = await candidate.view();
  expect(view.messages.at(-1)).toMatchObject({ text: 'One for all.', partial: true });
  expect(view.progress.question).toBe(1);
});
