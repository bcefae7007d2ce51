export { PageRepository, type SeenPage } from './notion-pages';
export { NotionPagesModule } from './notion-pages.module';
export { PageReadRepository, READ_KEY, type WaitingRead } from './page-reads';
