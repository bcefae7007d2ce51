/**
 * One interview by the API, with the cookies of a browser context: what came before a picture is arranged
 * here, and the page shows what has become of it.
 */
import { ADMIN_TOKEN, until } from '../harness.mjs';
import { SCRIPT } from './script.mjs';

/** Many interviews go on at once. */
const REPLY_MS = 60_000;

export class Interview {
  #request;
  #base;
  #words;
  #sent = 0;

  /** `request`: of the browser context, so that the page is signed in too. */
  constructor(request, base, language) {
    this.#request = request;
    this.#base = base;
    this.#words = SCRIPT[language];
  }

  /** Opens the link and agrees. */
  async consent(token) {
    await this.#post('sessions', { invite: token });
    const { disclosure } = await this.view();
    await this.#post('conversation/consent', { version: disclosure.version, accepted: true });
  }

  /** Up to the first question. */
  async begin(token, { name, contact } = this.#words) {
    await this.consent(token);
    await this.#post('conversation/profile', { name, contact });
  }

  /** Answers so many questions as the script says, after those that were answered before. */
  async answer(count) {
    const { interviewStep } = await this.view();
    for (const [text] of this.#words.answers.slice(interviewStep, interviewStep + count)) {
      await this.say(text);
    }
  }

  /** Answers every question that is left. */
  async finish() {
    await this.answer(this.#words.answers.length);
    await this.#becomes('completed');
  }

  /** Sends an answer and waits for its reply. */
  async say(text) {
    const { interviewStep } = await this.view();
    await this.write(text);
    await this.done();
    const isThere = async () => {
      const view = await this.view();
      return view.interviewStep > interviewStep && !view.replying;
    };
    await until('a reply', isThere, REPLY_MS);
  }

  async write(text) {
    this.#sent += 1;
    await this.#post('conversation/messages', { id: `picture-${this.#sent}`, text });
  }

  /** Says that the answer is complete. */
  async done() {
    await this.#post('conversation/done', { lastMessageId: `picture-${this.#sent}` });
  }

  async askForPerson() {
    await this.#post('conversation/human');
    await until('the pause', async () => (await this.view()).owner === 'asked');
  }

  /** The interviewer hands over, because the candidate says that they want to talk to a person. */
  async handOver() {
    await this.say(this.#words.human);
    if ((await this.view()).owner === 'model') await this.say(this.#words.humanYes);
    await this.#becomes('handed_over');
  }

  async withdraw() {
    await this.#post('conversation/withdraw');
    await this.#becomes('withdrawn');
  }

  /** A person of the hiring team writes. */
  async personWrites() {
    const { id } = await this.view();
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const attention = `${this.#base}/api/v1/admin/attention`;
    const item = await until('the item in the attention list', async () => {
      const { items } = await (await this.#request.get(attention, { headers })).json();
      return items.find(({ conversationId }) => conversationId === id);
    });
    const data = { text: this.#words.fromPerson };
    await this.#checked(
      await this.#request.post(`${attention}/${item.id}/reply`, { headers, data }),
    );
  }

  async view() {
    return (await this.#request.get(`${this.#base}/api/v1/conversation`)).json();
  }

  #becomes(status) {
    return until(`the status ${status}`, async () => (await this.view()).status === status);
  }

  async #post(path, data = {}) {
    const headers = { origin: this.#base };
    const url = `${this.#base}/api/v1/${path}`;
    await this.#checked(await this.#request.post(url, { headers, data }));
  }

  async #checked(response) {
    if (response.ok()) return;
    throw new Error(`${response.url()}: ${response.status()} ${await response.text()}`);
  }
}
