export { NotionSweepModule } from './notion-sweep.module';
