export { BoardReplay } from './board-replay';
export { NotionDeskModule } from './notion-desk.module';
