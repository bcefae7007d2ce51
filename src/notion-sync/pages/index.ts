export { NotionPages, type SeenPage } from './notion-pages';
export { NotionPagesModule } from './notion-pages.module';
export { PageReads, READ_KEY, type WaitingRead } from './page-reads';
