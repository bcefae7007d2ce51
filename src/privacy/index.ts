export { AuditSweep } from './audit-sweep';
export { type Erased, ErasedFlows } from './erased-flows';
export { CandidateUnknownError } from './personal-data.service';
export type { PageCommit } from './export-file';
export type { PersonalDataExport } from './export-format';
export { PersonalDataService } from './personal-data.service';
export type { PersonalDataHolder } from './personal-data-holder';
export { PersonalDataModule } from './personal-data.module';
export { PrivacyModule } from './privacy.module';
