export { ScoringModule, ScoringRecordsModule } from './scoring.module';
export { ScoringRepository } from './scoring.repository';
