/**
 * `npm run demo:telegram`: Colloquy with its bot on a Telegram of this machine, and a page on which
 * one watches an interview or is interviewed. Ctrl-C stops all of it.
 */
import { Crowd } from './crowd';
import { runDemo } from './run-demo';
import { openColloquy, openTelegram, openTelegramPage } from './stage';

runDemo(async (stage) => {
  const telegram = await openTelegram(stage);
  const colloquy = await openColloquy(stage, 'demo-telegram', { telegram, allowsModel: true });
  const crowd = new Crowd(stage, colloquy, telegram);
  const page = await openTelegramPage(
    stage,
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
