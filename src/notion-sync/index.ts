export { BoardInspection } from './doctor/board-inspection';
export { type CheckResult, type MissingProperty, NotionDoctor } from './doctor/doctor';
export { type EnrolmentState, EnrolmentRepository } from './intake/enrolment.repository';
export { NotionBoardsModule } from './notion-boards.module';
export { NotionSyncModule } from './notion-sync.module';

declare module '../common/uow' {
  interface LabelAreas {
    'notion-sync': 'notion' | 'removal' | 'review';
  }
}
