/** A Telegram and a Notion of this machine for the pictures of the two demos, with Colloquy's settings for them. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('../../../tools/support/swc-register.cjs');
const { TelegramServer } = require('../../../tools/fake-telegram');
const { NotionServer } = require('../../../tools/fake-notion');
const TelegramPage = require('../../../tools/fake-telegram/demo/demo-page.ts').DemoPage;
const NotionPage = require('../../../tools/fake-notion/demo/demo-page.ts').DemoPage;
const { fill } = require('../../../tools/fake-notion/demo/fill.ts');

const BOT_NAME = 'colloquy_demo_bot';

export class Demos {
  #people = 0;

  static async open() {
    const demos = new Demos();
    demos.telegram = await TelegramServer.start({ botName: BOT_NAME });
    demos.notion = await NotionServer.start();
    const filled = fill(demos.notion, { people: 5, tasksEach: 12, today: new Date() });
    demos.settings = {
      TELEGRAM_BOT_TOKEN: demos.telegram.token,
      TELEGRAM_API_ROOT: demos.telegram.apiRoot,
      TELEGRAM_BOT_NAME: BOT_NAME,
      NOTION_TOKEN: demos.notion.token,
      NOTION_API_URL: demos.notion.url,
      NOTION_DATA_SOURCE_ID: filled.board.id,
      NOTION_WEBHOOK_TOKEN: demos.notion.webhooks.token,
      NOTION_SWEEP_SHARE: '1',
    };
    const [shown, next] = filled.people;
    demos.notionPage = new NotionPage(demos.notion, filled, {
      queue: () => [
        { personId: shown.id, state: 'running', dueAtMs: Date.now() },
        { personId: next.id, state: 'waiting', dueAtMs: Date.now() + 7000 },
      ],
    });
    demos.telegramPage = new TelegramPage(demos.telegram, {
      startPayload: (language) => demos.invites[language.slice(0, 2)].replace('/i/', ''),
    });
    await demos.notionPage.open();
    await demos.telegramPage.open();
    return demos;
  }

  /** Called when Colloquy has started. */
  connect(base, invites) {
    this.invites = invites;
    this.notion.webhooks.sendTo(`${base}/webhooks/notion`);
  }

  /** The id of somebody who has not written to the bot. */
  newPerson() {
    this.#people += 1;
    return this.#people;
  }

  async close() {
    await this.telegramPage.close();
    await this.notionPage.close();
    await this.telegram.close();
    await this.notion.close();
  }
}
