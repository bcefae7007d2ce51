export { NotionStub, pageOf } from './notion-stub';
