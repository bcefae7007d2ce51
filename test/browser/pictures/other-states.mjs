/**
 * The pages around the candidate's: the front doors, what recruiters see, and the two demos. `isLong`: the
 * picture ends with the screen.
 */
import { createRequire } from 'node:module';
import { ADMIN_TOKEN } from '../harness.mjs';

const require = createRequire(import.meta.url);
require('../../support/swc-register.cjs');

const TODAY = new Date('2026-11-24');

async function transcriptOf({ stage, page, interview, token }) {
  await interview.begin(token);
  await interview.answer(3);
  const { id } = await interview.view();
  await page.goto(`${stage.base}/console/transcripts/${id}`);
  await page.getByRole('textbox').or(page.locator('input[type=password]')).first().waitFor();
}

function visit(address) {
  return async ({ page, stage }) => {
    await page.goto(`${stage.base}${address}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
}

export const OTHER_STATES = {
  'front-door': { walk: visit('/') },
  recruiters: { walk: visit('/console') },
  'not-found': { walk: visit('/no-such-page') },
  docs: {
    isLong: true,
    walk: async ({ page, stage }) => {
      await page.goto(`${stage.base}/docs`, { waitUntil: 'networkidle' });
    },
  },
  'console-sign-in': { walk: transcriptOf },
  transcript: {
    walk: async (scene) => {
      await transcriptOf(scene);
      const { page } = scene;
      await page.locator('input').first().fill(ADMIN_TOKEN);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: scene.script.name }).waitFor();
    },
  },
  'telegram-demo': {
    walk: async ({ page, script, closeLater }) => {
      const { TelegramServer } = require('../../../tools/fake-telegram');
      const { DemoPage } = require('../../../tools/fake-telegram/demo/demo-page.ts');
      const telegram = await TelegramServer.start();
      closeLater(() => telegram.close());
      const demo = new DemoPage(telegram);
      await demo.open();
      closeLater(() => demo.close());
      await page.goto(`${demo.url}/?start=invite-1`);
      await page.locator('#start').click();
      const send = (text) =>
        fetch(`${telegram.apiRoot}/bot${telegram.token}/sendMessage`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ chat_id: 1, text, parse_mode: 'HTML' }),
        });
      await send(script.fromPerson);
      await page.getByText(script.fromPerson).waitFor();
    },
  },
  'notion-demo': {
    walk: async ({ page, closeLater }) => {
      const { NotionServer } = require('../../../tools/fake-notion');
      const { DemoPage } = require('../../../tools/fake-notion/demo/demo-page.ts');
      const { fill } = require('../../../tools/fake-notion/demo/fill.ts');
      const notion = await NotionServer.start();
      closeLater(() => notion.close());
      const demo = new DemoPage(notion, fill(notion, { people: 5, tasksEach: 12, today: TODAY }));
      await demo.open();
      closeLater(() => demo.close());
      await page.goto(demo.url);
      await page.locator('#tasks tr').first().waitFor();
    },
  },
};
