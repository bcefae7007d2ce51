/**
 * `npm run demo`: Colloquy with a Telegram and a Notion of this machine, thirty candidates who are
 * played, and an index page that leads to all of it. Ctrl-C stops everything.
 */
import { Crowd } from './crowd';
import { IndexPage } from './index-page';
import { runDemo } from './run-demo';
import { freePort } from './running-colloquy';
import {
  openColloquy,
  openNotion,
  openNotionPage,
  openTelegram,
  openTelegramPage,
  vacancyFor,
} from './running-demo';

const INDEX_PORT = 8080;
const LOOK_EVERY_MS = 1000;

runDemo(async (demo) => {
  const telegram = await openTelegram(demo);
  const world = await openNotion(demo);
  const colloquy = await openColloquy(demo, 'demo', { telegram, ...world });
  const { baseUrl, vacancies } = colloquy;
  const crowd = new Crowd(demo, colloquy, telegram);
  const telegramPage = await openTelegramPage(
    demo,
    telegram,
    vacancies,
    crowd.forWatching(),
    colloquy.areRepliesPlayed,
  );
  const notionPage = await openNotionPage(demo, world, colloquy);
  const candidate = (language: string): string =>
    `${baseUrl}/i/${vacancyFor(vacancies, language).openToken}`;
  const links = [
    { key: 'candidate-en', address: candidate('en') },
    { key: 'candidate-ru', address: candidate('ru') },
    { key: 'telegram', address: `${telegramPage.url}/` },
    { key: 'notion', address: `${notionPage.url}/` },
    { key: 'recruiters', address: `${baseUrl}/console` },
    { key: 'metrics', address: `${baseUrl}/metrics` },
    { key: 'docs', address: `${baseUrl}/docs` },
  ] as const;
  const index = new IndexPage(colloquy, crowd, links, await freePort(INDEX_PORT));
  demo.every(LOOK_EVERY_MS, () => void index.look().catch(() => undefined));
  await index.open();
  demo.onClose(() => index.close());
  void crowd.arrive();
  return {
    title: 'Colloquy demo',
    links: [
      ['Start here', `${index.url}/`],
      ['Candidate page, English', candidate('en')],
      ['Candidate page, Russian', candidate('ru')],
      ['Telegram', `${telegramPage.url}/`],
      ['Notion boards', `${notionPage.url}/`],
      ['Recruiters’ page', `${baseUrl}/console`],
      ['Metrics', `${baseUrl}/metrics`],
      ['API', `${baseUrl}/docs`],
      ['Token of this run', colloquy.adminToken],
    ],
    colloquy,
  };
});
