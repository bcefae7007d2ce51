export { MAX_FILE_BYTES, MAX_ROWS, readInvitationFile } from './file/invitation-file';
export { InvitationFileError } from './file/problems';
export { ROW_STATES, type InvitationImport } from './invitation-import.repository';
export { ImportSweep, InvitationImports, type ShownRow } from './invitation-imports';
export { InvitationIssuer, InvitationLinks, type Links } from './invitation-issuing';
export { InvitationsModule } from './invitations.module';

declare module '../common/uow' {
  interface LabelAreas {
    invitations: 'invitation_import';
  }
}
