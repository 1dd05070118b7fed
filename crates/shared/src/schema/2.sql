-- Version 2: blocks of contents with their words, for ranked search. Vectors have a table of their own in vectors.sql, which needs an
-- extension that not every server has.
create sequence toolpost.cut_numbers;

-- In which way a file is cut into blocks; null if it is no text, or too long. Whether it is one of tests by its path.
alter table toolpost.files add column way text collate "C", add column test boolean not null default false;

-- Whether the files of a commit say how they are cut: those that an older version pushed do not.
alter table toolpost.versions add column has_ways boolean not null default false;

create table toolpost.models (
  id integer generated always as identity primary key,
  name text collate "C" not null unique
);

-- A content that was cut in one way. whole: all its blocks are there; model: that by which all of them have vectors.
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

-- A block. tokens: numbers of its words, in order; words: how long its places are, and how often each word stands in which.
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

-- Whatever takes blocks away, or changes them, is told to the cut that has them.
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
