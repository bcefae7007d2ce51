export { type EnrolmentState, NotionEnrolment } from './intake/notion-enrolment';
export { NotionSyncModule } from './notion-sync.module';
export { BoardApproval } from './run/board-approval';
export { NotionApprovalModule } from './run/notion-approval.module';
export { BOARD_SUBJECT, type DeskItem, NotionDesk } from './run/notion-desk';
