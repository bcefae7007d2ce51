import type { TestApp } from '../../support/app';
import type { ModelServer } from '../../../tools/fake-model/model-server';
import { WINDOW_MS, begunPerson, withBotAndModel } from './telegram-person';

/** In Telegram too, words count as written after the consent that came before them, whatever the clock says. */

const HOUR_MS = 3_600_000;

describe('after a clock was set back', () => {
  let app: TestApp;
  let model: ModelServer;

  withBotAndModel((started) => {
    app = started;
    model = started.model;
  });

  function lastPrompt(): string {
    return JSON.stringify(model.requests.at(-1)?.body.messages);
  }

  test('what a person writes who has agreed reaches the model', async () => {
    const ada = await begunPerson(app);
    app.clock.setBack(HOUR_MS);

    await ada.writes('I bake rye with caraway.');
    await app.pass(WINDOW_MS);

    expect(lastPrompt()).toContain('I bake rye with caraway.');
  });

  test('so does what they say', async () => {
    const ada = await begunPerson(app);
    app.clock.setBack(HOUR_MS);
    model.transcriptions.next({ kind: 'text', text: 'I bake wheat with seeds.' });

    await ada.does((user) => user.sendsVoice(Buffer.from('OggS and what was said')));
    await app.pass(WINDOW_MS);

    expect(lastPrompt()).toContain('I bake wheat with seeds.');
  });
});
