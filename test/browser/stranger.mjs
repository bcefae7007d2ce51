/** A candidate who uses the client of another project: what it shows, and what is stored. */
import { equal, until } from './harness.mjs';

const HALF = 'Спасибо, 👩‍🚀 that is clear.';
const REST = ' Дальше…';

/**
 * A reply of the model that stops after its first half until the model server releases it: two characters into
 * the next sentence, because a sentence is shown when the next one begins.
 */
function heldReply() {
  const content = JSON.stringify({ verdict: 'answered', text: HALF + REST.slice(0, 2) }).slice(
    0,
    -2,
  );
  return { kind: 'hold', content, rest: `${JSON.stringify(REST.slice(2)).slice(1)}}` };
}

export class Stranger {
  constructor(page, conversationId, { origin, model, client }) {
    Object.assign(this, { page, conversationId, origin, model });
    this.isAssistantUi = client === 'assistant-ui';
    this.requestsBefore = origin.requests.length;
  }

  /** Takes a candidate to the first question by the API, and then opens the client's page. */
  static async begin(stage) {
    const { browser, origin, invite, client } = stage;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin.base}${invite}`);
    const conversationId = await page.evaluate(
      async (token) => {
        const post = async (path, body) => {
          const response = await fetch(`/api/v1/${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
          return response.json();
        };
        const { conversationId: id } = await post('sessions', { invite: token });
        const { disclosure } = await (await fetch('/api/v1/conversation')).json();
        await post('conversation/consent', { version: disclosure.version, accepted: true });
        await post('conversation/profile', { name: 'Ada', contact: 'ada@example.org' });
        return id;
      },
      invite.replace('/i/', ''),
    );
    const one = new Stranger(page, conversationId, stage);
    await one.#open(client);
    return one;
  }

  async anotherTab(client) {
    const page = await this.page.context().newPage();
    const tab = new Stranger(page, this.conversationId, { ...this, client });
    await tab.#open(client);
    return tab;
  }

  /** The requests that the client of this page sent to the server. */
  requestsOf(method, path) {
    return this.origin.requests
      .slice(this.requestsBefore)
      .filter((request) => request.method === method && request.path === path);
  }

  press(name) {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  async send(text) {
    this.model.next(heldReply());
    await this.page.getByLabel('Message').fill(text);
    await this.press('Send');
  }

  async sendAndSeeHalf(text) {
    await this.send(text);
    await this.seesHalf();
  }

  /** Sends a message by the API, like another program of the candidate, and waits for half of the reply. */
  async postAndSeeHalf(text) {
    this.model.next(heldReply());
    await this.page.evaluate(
      async (body) => {
        const headers = { 'content-type': 'application/json' };
        await fetch('/api/v1/conversation/messages', { method: 'POST', headers, body });
      },
      JSON.stringify({ id: text, text }),
    );
    await this.seesHalf();
  }

  async seesHalf() {
    const isSeen = async () => (await this.lastText()) === HALF;
    await until('the half of the reply', isSeen, 10_000).catch(() => undefined);
    equal(await this.lastText(), HALF, 'what the page shows of the reply');
  }

  status() {
    return this.page.locator('output').textContent();
  }

  texts() {
    return this.page.locator(this.isAssistantUi ? '[data-role]' : 'li').allTextContents();
  }

  async lastText() {
    return (await this.texts()).at(-1);
  }

  conversation() {
    return this.page.evaluate(async () => (await fetch('/api/v1/conversation')).json());
  }

  async isKept(text) {
    return (await this.conversation()).messages.some((message) => message.text === text);
  }

  /** The texts of all stored messages, once nothing is pending. */
  async storedTexts() {
    const { messages } = await until('the reply to be stored', async () => {
      const view = await this.conversation();
      return !view.replying && !view.hasBuffer && view.messages.at(-1).role !== 'user' && view;
    });
    return messages.map(({ text }) => text);
  }

  /** Checks that the page shows the exact transcript, or its lines from `from` on. */
  async seesTheTranscript(from = 0) {
    const stored = (await this.storedTexts()).slice(from);
    const isSame = (texts) => JSON.stringify(texts) === JSON.stringify(stored);
    await until('the transcript', async () => isSame(await this.texts()), 10_000).catch(
      () => undefined,
    );
    equal(await this.texts(), stored, 'what the page shows');
  }

  close() {
    return this.page.context().close();
  }

  async #open(client) {
    await this.page.goto(this.origin.pageOf(client));
    if (client === 'event-source') await until('hello', async () => (await this.status()) === '1');
    else await this.page.getByLabel('Message').waitFor();
  }
}
