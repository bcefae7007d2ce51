/**
 * `npm run demo:notion`: Colloquy with a Notion of this machine whose boards it ranks, and a page on
 * which you edit tasks. Ctrl-C stops all of it.
 */
import { runDemo } from './run-demo';
import { openColloquy, openNotion, openNotionPage } from './running-demo';

runDemo(async (demo) => {
  const world = await openNotion(demo);
  const colloquy = await openColloquy(demo, 'demo-notion', world);
  const page = await openNotionPage(demo, world, colloquy);
  return { title: 'Notion demo', links: [['Boards', `${page.url}/`]], colloquy };
});
