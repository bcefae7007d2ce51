export { NotionPages } from './notion-pages';
export { NotionPagesModule } from './notion-pages.module';
