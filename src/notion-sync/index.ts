export { type EnrolmentState, EnrolmentRepository } from './intake/enrolment.repository';
export { BoardInspection } from './doctor/board-inspection';
export { type MissingProperty, NotionDoctor } from './doctor/doctor';
export { NotionToolsModule } from './doctor/notion-tools.module';
export { NotionSyncModule } from './notion-sync.module';
export { BoardApproval } from './sync/board-approval';
export { NotionApprovalModule } from './sync/notion-approval.module';
export { BOARD_SUBJECT, type DeskItem, NotionDesk } from './sync/notion-desk';
