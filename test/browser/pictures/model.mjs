/**
 * The model server of the pictures. It acknowledges an answer as the script says, and treats some answers
 * specially: what it has said of a reply can stand still, so that a picture shows a reply that is being
 * written.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('../../../tools/support/swc-register.cjs');
const { sendRaw } = require('../../../tools/fake-model/model-replies.ts');
const { replyDataOf } = require('../../../tools/fake-model/reply-data.ts');
const { Listener } = require('../../../tools/http-fake/listener.ts');
const { bodyOf } = require('../../../tools/http-fake/requests.ts');

/** A sentence is shown when the next one begins. */
const NEXT = 'And…';

export class PictureModel {
  /** Every request fails while it is true. */
  isAway = false;
  #listener = new Listener((request, response) => this.#respond(request, response));
  #acknowledgements;
  #stills = [];
  #end;
  #ended = new Promise((resolve) => (this.#end = resolve));

  /** `acknowledgements`: a part of an answer, and what the model says to it. */
  static async start(acknowledgements) {
    const model = new PictureModel();
    model.#acknowledgements = acknowledgements;
    await model.#listener.open();
    return model;
  }

  get baseUrl() {
    return `${this.#listener.url}/v1`;
  }

  /** The reply to an answer with these words says `begun` and then stands still. */
  standStill(words, begun) {
    this.#stills.push([words, begun]);
  }

  async close() {
    this.#end();
    await this.#listener.close();
  }

  async #respond(request, response) {
    const { messages } = JSON.parse(String(await bodyOf(request)));
    if (this.isAway) {
      await sendRaw(response, { kind: 'status', status: 503 });
      return;
    }
    const { answer } = replyDataOf(messages.findLast(({ role }) => role === 'user').content);
    const [, begun] = this.#stills.find(([words]) => answer.includes(words)) ?? [];
    if (begun === undefined) {
      const reply = { kind: 'hold', content: JSON.stringify(this.#replyTo(answer)), rest: '' };
      await sendRaw(response, reply, Promise.resolve());
      return;
    }
    // The text of a reply is the last field of its JSON, so a sentence is shown before its end.
    const whole = JSON.stringify(replyWith('answered', `${begun} ${NEXT}`));
    const content = begun === '' ? '' : whole.slice(0, -NEXT.length - 1);
    await sendRaw(response, { kind: 'hold', content, rest: `${NEXT.slice(1)}"}` }, this.#ended);
  }

  #replyTo(answer) {
    const [, text, verdict = 'answered'] =
      this.#acknowledgements.find(([words]) => answer.includes(words)) ?? [];
    return replyWith(verdict, text ?? (/[а-я]/i.test(answer) ? 'Спасибо.' : 'Thank you.'));
  }
}

function replyWith(verdict, text) {
  return { verdict, sources: '', text };
}
