/**
 * `npm run demo:telegram`: Colloquy with its bot on a Telegram of this machine, and a page on which
 * one watches an interview or is interviewed. Ctrl-C stops all of it.
 */
import { Crowd } from './crowd';
import { runDemo } from './run-demo';
import { openColloquy, openTelegram, openTelegramPage } from './running-demo';

runDemo(async (demo) => {
  const telegram = await openTelegram(demo);
  const colloquy = await openColloquy(demo, 'demo-telegram', { telegram, allowsModel: true });
  const crowd = new Crowd(demo, colloquy, telegram);
  const page = await openTelegramPage(
    demo,
    telegram,
    colloquy.vacancies,
    crowd.forWatching(),
    colloquy.areRepliesPlayed,
  );
  return {
    title: 'Telegram demo',
    links: [['Watch an interview, or be interviewed', `${page.url}/`]],
    colloquy,
  };
});
