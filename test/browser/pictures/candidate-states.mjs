/**
 * Every state of the candidate's page that has a picture, as the short walk that leads to it. A walk
 * gets a new visitor (`PictureApp.enter`), arranges by the API what was before, and does the rest on the page.
 *
 * `on`: the only kind of screen that has this state. `moving`: what moves in it, a selector; it is shown on
 * its way. `comesLast`: it disturbs the others.
 */
import { changeInvite } from '../harness.mjs';

const DISCLOSURE = {
  en: 'The questions come from an AI interviewer.\n\nThe hiring team of Harbourline reads your answers and decides.',
  ru: 'Вопросы задаёт ИИ-интервьюер.\n\nОтветы читает и решение принимает команда по найму «Тихой гавани».',
};

/** Opens the link and goes past the welcome. The visitor's own conversation is shown as it is. */
async function open({ page, candidate }) {
  await page.goto(candidate.url);
  await page.getByRole('main').getByRole('button').first().click();
}

async function openInterview(scene) {
  await open(scene);
  await scene.candidate.field().waitFor();
}

async function begin(scene, answers = 0) {
  await scene.interview.begin(scene.token);
  await scene.interview.answer(answers);
}

/** Writes an answer whose reply stands still after its first words. */
async function untilReplying(scene, begun) {
  const { stage, candidate, script } = scene;
  stage.model.standStill(script.slow, begun);
  await begin(scene, 1);
  await openInterview(scene);
  await candidate.write(script.slow);
  await candidate.done();
}

async function openWithDialog(scene, item) {
  await begin(scene, 1);
  await openInterview(scene);
  await scene.candidate.chooseMore(item);
  await scene.page.getByRole('dialog').waitFor();
}

const text = (scene, words) => scene.page.getByText(words).first().waitFor();

export const CANDIDATE_STATES = {
  welcome: {
    walk: async ({ page, candidate }) => {
      await page.goto(candidate.url);
      await page.getByRole('main').getByRole('button').first().waitFor();
    },
  },
  consent: {
    walk: async (scene) => {
      await open(scene);
      await scene.candidate.button(scene.candidate.words.agree).waitFor();
    },
  },
  declined: {
    walk: async (scene) => {
      const { words } = scene.candidate;
      await open(scene);
      await scene.candidate.button(words.refuse).click();
      await scene.candidate.heading(words.declined).waitFor();
    },
  },
  contact: {
    walk: async (scene) => {
      await scene.interview.consent(scene.token);
      await open(scene);
      await scene.page.getByLabel(scene.candidate.words.name).waitFor();
    },
  },
  'contact-unusual': {
    walk: async (scene) => {
      const { page, candidate, script } = scene;
      await scene.interview.consent(scene.token);
      await open(scene);
      await page.getByLabel(candidate.words.name).fill(script.name);
      await page.getByLabel(candidate.words.contact).fill(script.unusualContact);
      await page.keyboard.press('Enter');
      await text(scene, candidate.words.unusual);
    },
  },
  'first-question': {
    walk: async (scene) => {
      await begin(scene);
      await openInterview(scene);
    },
  },
  typing: {
    moving: '.answer-status',
    walk: async (scene) => {
      const { candidate, script } = scene;
      await begin(scene, 2);
      await openInterview(scene);
      await candidate.write(script.answers[2][0]);
      await candidate.button(candidate.words.done).waitFor();
      await candidate.field().fill(script.more);
    },
  },
  'taking-answer': {
    walk: async (scene) => {
      const { stage, candidate, script } = scene;
      stage.model.standStill(script.taken, '');
      await begin(scene, 1);
      await openInterview(scene);
      await candidate.write(script.taken);
      await candidate.done();
      await text(scene, candidate.words.taking);
      await scene.page.locator('.thinking').waitFor();
    },
  },
  streaming: {
    walk: async (scene) => {
      await untilReplying(scene, scene.script.slowBegun);
      await text(scene, scene.script.slowBegun);
      await scene.candidate.button(scene.candidate.words.stop).waitFor();
    },
  },
  stopped: {
    walk: async (scene) => {
      const { candidate, script } = scene;
      await untilReplying(scene, script.slowBegun);
      await text(scene, script.slowBegun);
      await candidate.button(candidate.words.stop).click();
      await candidate.button(candidate.words.continue).waitFor();
    },
  },
  'long-answer': {
    on: 'phone',
    walk: async (scene) => {
      const { page, candidate, script } = scene;
      await begin(scene, 1);
      await openInterview(scene);
      await candidate.write(script.long);
      await candidate.field().fill(script.more);
      await page.locator('.current-question').waitFor();
    },
  },
  'side-panel': {
    on: 'desktop',
    walk: async (scene) => {
      await begin(scene, 3);
      await openInterview(scene);
    },
  },
  menu: {
    walk: async (scene) => {
      await begin(scene, 1);
      await openInterview(scene);
      await scene.candidate.button(scene.candidate.words.more).click();
    },
  },
  'dialog-person': {
    walk: async (scene) => {
      await begin(scene, 1);
      await openInterview(scene);
      await scene.candidate.button(scene.candidate.words.person).click();
      await scene.page.getByRole('dialog').waitFor();
    },
  },
  'dialog-telegram': {
    walk: (scene) => openWithDialog(scene, scene.candidate.words.telegram),
  },
  'dialog-withdraw': {
    walk: (scene) => openWithDialog(scene, scene.candidate.words.withdraw),
  },
  'dialog-erase': {
    walk: (scene) => openWithDialog(scene, scene.candidate.words.erase),
  },
  offline: {
    walk: async (scene) => {
      const { page, candidate, script } = scene;
      await begin(scene, 1);
      await openInterview(scene);
      await page.context().setOffline(true);
      await text(scene, candidate.words.lost);
      await candidate.write(script.unsent);
      await text(scene, candidate.words.unsent);
    },
  },
  'asked-for-person': {
    walk: async (scene) => {
      await begin(scene, 1);
      await scene.interview.askForPerson();
      await open(scene);
      await scene.candidate.heading(scene.candidate.words.askedForPerson).waitFor();
    },
  },
  'handed-over': {
    walk: async (scene) => {
      await begin(scene, 1);
      await scene.interview.handOver();
      await open(scene);
      await scene.candidate.heading(scene.candidate.words.askedForPerson).waitFor();
    },
  },
  'person-message': {
    walk: async (scene) => {
      const { interview, candidate, script } = scene;
      await begin(scene, 2);
      await interview.askForPerson();
      await interview.personWrites();
      await openInterview(scene);
      await candidate.heading(candidate.words.withPerson).waitFor();
      await candidate.write(script.toPerson);
      await text(scene, script.toPerson);
    },
  },
  withdrawn: {
    walk: async (scene) => {
      await begin(scene, 1);
      await scene.interview.withdraw();
      await open(scene);
      await scene.candidate.heading(scene.candidate.words.withdrawn).waitFor();
    },
  },
  ending: {
    walk: async (scene) => {
      await begin(scene);
      await scene.interview.finish();
      await open(scene);
      await scene.page.locator('.ending').getByRole('heading').waitFor();
    },
  },
  erased: {
    walk: async (scene) => {
      const { words } = scene.candidate;
      await openWithDialog(scene, words.erase);
      await scene.candidate.button(words.eraseConfirm).click();
      await scene.candidate.heading(words.erased).waitFor();
    },
  },
  'dead-link': {
    walk: async ({ page, stage, candidate }) => {
      await page.goto(`${stage.base}/i/no-such-link`);
      await candidate.heading(candidate.words.unknown).waitFor();
    },
  },
  'expired-link': {
    walk: async ({ page, candidate }) => {
      await changeInvite(page, { state: 'expired' });
      await page.goto(candidate.url);
      await candidate.heading(candidate.words.expired).waitFor();
    },
  },
  'used-link': {
    walk: async ({ page, candidate }) => {
      await changeInvite(page, { kind: 'continuation', state: 'used' });
      await page.goto(candidate.url);
      await candidate.heading(candidate.words.used).waitFor();
    },
  },
  claim: {
    walk: async ({ page, candidate, language }) => {
      const disclosure = { version: '2026-11', text: DISCLOSURE[language] };
      await changeInvite(page, { kind: 'continuation', disclosure });
      await page.goto(candidate.url);
      await candidate.button(candidate.words.goOn).waitFor();
    },
  },
  'model-away': {
    comesLast: true,
    walk: async (scene) => {
      const { stage, interview, script, page } = scene;
      await begin(scene, 1);
      await openInterview(scene);
      stage.model.isAway = true;
      await interview.write(script.taken);
      await interview.done();
      await page.locator('.note-away').waitFor({ timeout: 60_000 });
    },
  },
};
