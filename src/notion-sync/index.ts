export { type EnrolmentState, EnrolmentRepository } from './intake/enrolment.repository';
export { BoardInspection } from './doctor/board-inspection';
export { type MissingProperty, NotionDoctor } from './doctor/doctor';
export { NotionToolsModule } from './inspect/notion-inspect.module';
export { NotionSyncModule } from './notion-sync.module';
export { BoardApproval } from './run/board-approval';
export { NotionApprovalModule } from './run/notion-approval.module';
export { BOARD_SUBJECT, type DeskItem, NotionDesk } from './run/notion-desk';
