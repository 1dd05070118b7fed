-- Version 1 of the shared index. The large tables are partitioned by repository, so a query about one repository, or its removal,
-- uses only one partition of each table.
create schema if not exists toolpost;

create table toolpost.schema (version integer not null);
insert into toolpost.schema values (0);

-- learnt and forgotten count the changes that added and removed contents. Each answer has both counts, so a client notices if an
-- earlier answer is out of date.
create table toolpost.repositories (
  id integer generated always as identity primary key,
  name text collate "C" not null unique,
  main text not null,
  learnt bigint not null default 0,
  forgotten bigint not null default 0
);

-- The last pushed commit of each branch.
create table toolpost.versions (
  id bigint generated always as identity primary key,
  repository integer not null,
  branch text not null,
  commit text not null,
  pushed timestamptz not null default now(),
  files integer not null,
  withheld integer not null,
  binary_files integer not null default 0,
  odd_files integer not null default 0,
  unique (repository, branch)
);

-- The files of each commit: path, and hash of the content.
create table toolpost.files (
  repository integer not null,
  version bigint not null,
  path bytea not null,
  hash bytea not null,
  mode integer not null,
  primary key (repository, version, path)
) partition by hash (repository);
create index on toolpost.files (repository, version, hash);
create index on toolpost.files (repository, hash);

-- A file content, stored once for all branches and clones of a repository. form: 0 text, 1 binary, 2 anything else.
create table toolpost.blobs (
  repository integer not null,
  hash bytea not null,
  git bytea not null,
  size bigint not null,
  form smallint not null,
  pieces integer not null,
  added timestamptz not null default now(),
  primary key (repository, hash)
) partition by hash (repository);
create index on toolpost.blobs (repository, git);

-- The text of a content, in pieces of whole lines of about 32 KB.
create table toolpost.pieces (
  repository integer not null,
  hash bytea not null,
  number integer not null,
  start bigint not null,
  body text collate "C" not null,
  primary key (repository, hash, number)
) partition by hash (repository);
create index on toolpost.pieces using gin (repository, body gin_trgm_ops);

-- Every removal or change of contents is counted, so that no client continues to assume that they are here.
create function toolpost.forget() returns trigger language plpgsql as $$
begin
  update toolpost.repositories set forgotten = forgotten + 1 where id in (select repository from gone);
  return null;
end $$;
create function toolpost.forget_all() returns trigger language plpgsql as $$
begin
  update toolpost.repositories set forgotten = forgotten + 1;
  return null;
end $$;
create trigger blobs_removed after delete on toolpost.blobs
  referencing old table as gone for each statement execute function toolpost.forget();
create trigger blobs_changed after update on toolpost.blobs
  referencing old table as gone for each statement execute function toolpost.forget();
create trigger pieces_removed after delete on toolpost.pieces
  referencing old table as gone for each statement execute function toolpost.forget();
create trigger pieces_changed after update on toolpost.pieces
  referencing old table as gone for each statement execute function toolpost.forget();
create trigger blobs_emptied after truncate on toolpost.blobs
  for each statement execute function toolpost.forget_all();
create trigger pieces_emptied after truncate on toolpost.pieces
  for each statement execute function toolpost.forget_all();
