export { NotionServer } from './notion-server';
