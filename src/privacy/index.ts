export { AuditSweep } from './retention.service';
export { AuditSubjectRepository, SUBJECT_KINDS } from './audit-subject.repository';
export {
  type AuditEvent,
  type AuditFilter,
  AuditRepository,
  MAX_AUDIT_PAGE,
  type NotedEvent,
} from './audit.repository';
export { CandidateRecordsRepository, type ListedCandidate } from './candidate-records.repository';
export type { PageCommit } from './export-file';
export type { PersonalDataExport } from './export-format';
export {
  CandidateUnknownError,
  type ErasureReport,
  PersonalDataService,
} from './personal-data.service';
export { PrivacyModule } from './privacy.module';
export { RETENTION_CLASSES, rulesOf } from './retention-policy';
export { RetentionRepository } from './retention.repository';
export { RetentionService } from './retention.service';

declare module '../common/uow' {
  interface LabelAreas {
    privacy: 'audit' | 'personal' | 'retention';
  }
}
