/**
 * `npm run demo:notion`: Colloquy with a Notion of this machine whose boards it ranks, and a page on
 * which one edits tasks. Ctrl-C stops all of it.
 */
import { runDemo } from './run-demo';
import { openColloquy, openNotion, openNotionPage } from './stage';

runDemo(async (stage) => {
  const world = await openNotion(stage);
  const colloquy = await openColloquy(stage, 'demo-notion', world);
  const page = await openNotionPage(stage, world, colloquy);
  return { title: 'Notion demo', links: [['Boards', `${page.url}/`]], colloquy };
});
