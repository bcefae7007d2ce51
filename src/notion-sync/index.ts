export { NotionSyncModule } from './notion-sync.module';
