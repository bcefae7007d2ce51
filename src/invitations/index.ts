export { type InvitationFile, MAX_FILE_BYTES, readInvitationFile } from './file/invitation-file';
export { InvitationFileError } from './file/problems';
export { ROW_STATES } from './invitation-import.repository';
export {
  type ImportProgress,
  ImportSweep,
  ImportUnknownError,
  InvitationImports,
  type ShownRow,
  progressOf,
} from './invitation-imports';
export { InvitationIssuer, InvitationLinks, type Links } from './invitation-issuing';
export {
  INTERVIEW_STATES,
  INVITATION_STATES,
  type ListedInvitation,
} from './invitation-list.repository';
export { InvitationsModule } from './invitations.module';
export {
  InvitationRefusedError,
  OneInvitation,
  type OwnInvitation,
  readEnd,
  readInvitation,
} from './one-invitation';

declare module '../common/uow' {
  interface LabelAreas {
    invitations: 'invitation_import';
  }
}
