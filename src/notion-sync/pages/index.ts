export { NotionPages, type SeenPage } from './notion-pages';
