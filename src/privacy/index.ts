export { AuditSweep } from './audit-sweep';
export { type Erased, ErasedFlows } from './erasure';
export { CandidateUnknownError } from './errors';
export type { PageCommit, PersonalDataExport } from './export';
export { PersonalDataService } from './personal-data';
export type { PersonalDataHolder } from './personal-data-holder';
export { PersonalDataModule } from './personal-data.module';
export { PrivacyModule } from './privacy.module';
