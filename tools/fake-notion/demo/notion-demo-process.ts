/**
 * `npm run demo:notion`: a local Notion on 127.0.0.1 with 50 people and 40 tasks each, and a page that
 * shows their boards. NOTION_DEMO_PORT (8092) is the page's port, the next one the API's;
 * NOTION_DEMO_WEBHOOK is the address of Colloquy's webhook.
 */
import { NotionServer } from '../notion-server';
import { DemoPage } from './demo-page';
import { fill } from './fill';

async function main(): Promise<void> {
  const port = Number(process.env.NOTION_DEMO_PORT ?? '8092');
  const webhook = process.env.NOTION_DEMO_WEBHOOK ?? 'http://127.0.0.1:3000/webhooks/notion';
  const notion = await NotionServer.start({ port: port === 0 ? 0 : port + 1 });
  const filled = fill(notion, { people: 50, tasksEach: 40, today: new Date() });
  notion.webhooks.sendTo(webhook);
  const page = new DemoPage(notion, filled, port);
  await page.open();
  console.log(`Start Colloquy with these settings:

NOTION_TOKEN=${notion.token} NOTION_API_URL=${notion.url} NOTION_DATA_SOURCE_ID=${filled.board.id} NOTION_WEBHOOK_TOKEN=${notion.webhooks.token} NOTION_SWEEP_SHARE=0.5 npm start

and look at the boards on ${page.url}/
(what happens on them is told to ${webhook})`);
  const stop = (): void => {
    void Promise.all([page.close(), notion.close()]);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
