-- Version 2: blocks of contents with their words, for ranked search. vectors.sql creates a separate table for embeddings, because
-- that table needs an extension that not every server has.
create sequence toolpost.cut_numbers;

-- way: the language for which the file is split into blocks; null if it is not text, or too long. test: set if the path is
-- that of a test.
alter table toolpost.files add column way text collate "C", add column test boolean not null default false;

-- has_ways: set if the files of the commit have a `way`. It is false for commits that an older version of Toolpost pushed.
alter table toolpost.versions add column has_ways boolean not null default false;

create table toolpost.models (
  id integer generated always as identity primary key,
  name text collate "C" not null unique
);

-- A cut: a content that was split into blocks for one language. whole: all blocks are stored. model: the embedding model, if all
-- blocks have embeddings by it.
create table toolpost.cuts (
  repository integer not null,
  hash bytea not null,
  way text collate "C" not null,
  id bigint not null default nextval('toolpost.cut_numbers'),
  format integer not null,
  blocks integer not null,
  lengths bigint[] not null,
  whole boolean not null,
  model integer,
  primary key (repository, hash, way)
) partition by hash (repository);
create index on toolpost.cuts (repository, id);

-- A block. tokens: the numbers of its words, sorted. words: the length of each field, and how often each word occurs in each field.
create table toolpost.blocks (
  repository integer not null,
  cut bigint not null,
  number integer not null,
  first_line integer not null,
  last_line integer not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  test boolean not null,
  tokens integer[] not null,
  words bytea not null,
  primary key (repository, cut, number)
) partition by hash (repository);
create index on toolpost.blocks using gin (repository, tokens);

-- Every removal or change of blocks marks their cut as incomplete.
create function toolpost.break_cuts() returns trigger language plpgsql as $$
begin
  update toolpost.cuts c set whole = false from (select distinct repository, cut from gone) g
    where c.repository = g.repository and c.id = g.cut and c.whole;
  return null;
end $$;
create function toolpost.break_all_cuts() returns trigger language plpgsql as $$
begin
  update toolpost.cuts set whole = false;
  return null;
end $$;
create trigger blocks_removed after delete on toolpost.blocks
  referencing old table as gone for each statement execute function toolpost.break_cuts();
create trigger blocks_changed after update on toolpost.blocks
  referencing old table as gone for each statement execute function toolpost.break_cuts();
create trigger blocks_emptied after truncate on toolpost.blocks
  for each statement execute function toolpost.break_all_cuts();
