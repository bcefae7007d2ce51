/**
 * The pages around the candidate's: the front pages, what recruiters see, and the two demos. `isLong`: the
 * picture ends with the screen. `isDemo`: it needs the demos beside the application.
 */
import { ADMIN_TOKEN } from '../harness.mjs';

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
  recruiters: { walk: visit('/console/transcripts') },
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
    isDemo: true,
    walk: async ({ page, stage, language }) => {
      const user = stage.demos.newPerson();
      await page.goto(`${stage.demos.telegramPage.url}/?user=${user}&lang=${language}`);
      await page.locator('#start').click();
      await page.locator('.press').first().click();
      await page.locator('.line.bot').nth(1).waitFor();
    },
  },
  'notion-demo': {
    isDemo: true,
    walk: async ({ page, stage }) => {
      await page.goto(stage.demos.notionPage.url);
      const rank = page.locator('#tasks tr').first().locator('td').first();
      await rank.filter({ hasText: /\d/ }).waitFor({ timeout: 120_000 });
    },
  },
};
