import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { JobsModule } from '../jobs';
import { VacanciesModule } from '../vacancies';
import { InvitationImportRepository } from './invitation-import.repository';
import { InvitationImportWorker } from './invitation-import.worker';
import { ImportSweep, InvitationImports } from './invitation-imports';
import { InvitationIssuer, InvitationLinks } from './invitation-issuing';
import { InvitationListRepository } from './invitation-list.repository';
import { OneInvitation } from './one-invitation';

/** How people are invited, one by one and by files. Expects global Settings, Clock and UnitOfWorkFactory. */
@Module({
  imports: [CandidatesModule, JobsModule, VacanciesModule],
  providers: [
    ImportSweep,
    InvitationImportRepository,
    InvitationImportWorker,
    InvitationImports,
    InvitationIssuer,
    InvitationLinks,
    InvitationListRepository,
    OneInvitation,
  ],
  exports: [ImportSweep, InvitationImports, InvitationIssuer, InvitationLinks, OneInvitation],
})
export class InvitationsModule {}
