export { NotionServer } from './notion-server';
export type { Board } from './people/board';
export type { NotionPage } from './people/notion-page';
export type { NotionUser } from './people/notion-user';
export type { Delivery } from './webhooks/feed';
