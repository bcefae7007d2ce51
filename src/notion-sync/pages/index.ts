export { NotionPages, type SeenPage } from './notion-pages';
export { NotionPagesModule } from './notion-pages.module';
